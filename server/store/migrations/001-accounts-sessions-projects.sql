create table accounts (
  id text primary key,
  email text not null unique,
  password_hash text not null,
  role text not null,
  created_at bigint not null
);

create table sessions (
  token_hash text primary key,
  account_id text not null references accounts (id) on delete cascade,
  expires_at bigint not null
);

create index sessions_by_expiry on sessions (expires_at);

create table projects (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  position integer not null,
  title text not null,
  description text not null,
  idempotency_key text,
  created_at bigint not null,
  unique (account_id, position),
  unique (account_id, idempotency_key)
);
