create table health (
  id integer primary key,
  checks bigint not null
);
