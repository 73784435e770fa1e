create table health (
  id integer primary key,
  checked_at bigint not null
);
