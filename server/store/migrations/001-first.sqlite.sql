create table accounts (
  id text primary key,
  email text not null unique,
  password_hash text not null,
  role text not null,
  created_at bigint not null,
  list_edits integer not null default 0
);

create table sessions (
  token_hash text primary key,
  account_id text not null references accounts (id) on delete cascade,
  expires_at bigint not null
);

create index sessions_by_account on sessions (account_id);
create index sessions_by_expiry on sessions (expires_at);

-- Without a rowid, the projects of an account are together in the file, in the order of the list.
-- With a rowid, each project of a list would be a read of another page.
create table projects (
  id text not null unique,
  account_id text not null references accounts (id) on delete cascade,
  position integer not null,
  title text not null,
  description text not null,
  idempotency_key text,
  created_at bigint not null,
  primary key (account_id, position),
  unique (account_id, idempotency_key)
) without rowid;

-- Count changes of an account's list other than a project added at its end, as by SQL by hand.
create trigger projects_inserted after insert on projects
when exists (
  select 1 from projects where account_id = new.account_id and position > new.position
) begin
  update accounts set list_edits = list_edits + 1 where id = new.account_id;
end;

create trigger projects_updated after update on projects begin
  update accounts set list_edits = list_edits + 1 where id in (old.account_id, new.account_id);
end;

create trigger projects_deleted after delete on projects begin
  update accounts set list_edits = list_edits + 1 where id = old.account_id;
end;

create table attempt_buckets (
  email_hash text not null, -- '' for all emails
  network text not null, -- '' for all networks
  made integer not null,
  debt_ms integer not null,
  updated_at bigint not null,
  primary key (email_hash, network)
);

create index attempt_buckets_by_time on attempt_buckets (updated_at);

create table known_networks (
  account_id text not null references accounts (id) on delete cascade,
  network text not null,
  seen_at bigint not null,
  primary key (account_id, network)
);

create index known_networks_by_time on known_networks (seen_at);

create table health (
  id integer primary key,
  checks bigint not null
);
