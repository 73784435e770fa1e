create table attempts (
  key text primary key,
  made integer not null,
  free_at bigint not null,
  known_until bigint not null
);

create index attempts_by_time on attempts (free_at);
