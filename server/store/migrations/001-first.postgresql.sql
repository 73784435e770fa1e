-- Keys have the collation "C". Other orders of text change with the system or the image of the
-- database. An index in the order of before misses rows, so an email could register twice.
create table accounts (
  id text collate "C" primary key,
  email text collate "C" not null unique,
  password_hash text not null,
  role text not null,
  created_at bigint not null,
  list_edits integer not null default 0
);

create table sessions (
  token_hash text collate "C" primary key,
  account_id text collate "C" not null references accounts (id) on delete cascade,
  expires_at bigint not null
);

create index sessions_by_account on sessions (account_id);
create index sessions_by_expiry on sessions (expires_at);

create table projects (
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts (id) on delete cascade,
  position integer not null,
  title text not null,
  description text not null,
  idempotency_key text collate "C",
  created_at bigint not null,
  unique (account_id, position),
  unique (account_id, idempotency_key)
);

-- Counts changes of an account's list other than a project added at its end, as by SQL by hand.
create function count_list_edits() returns trigger language plpgsql as $$ begin
  update accounts set list_edits = list_edits + 1 where id in (
    select account_id from changed group by account_id having tg_op <> 'INSERT' or count(*) < (
      select count(*) from projects
      where account_id = changed.account_id and position >= min(changed.position)
    )
  );
  return null;
end $$;

create trigger projects_inserted after insert on projects
  referencing new table as changed for each statement execute function count_list_edits();
create trigger projects_updated after update on projects
  referencing old table as changed for each statement execute function count_list_edits();
create trigger projects_moved after update on projects
  referencing new table as changed for each statement execute function count_list_edits();
create trigger projects_deleted after delete on projects
  referencing old table as changed for each statement execute function count_list_edits();

create table attempt_buckets (
  email_hash text collate "C" not null, -- '' for all emails
  network text collate "C" not null, -- '' for all networks
  made integer not null,
  debt_ms integer not null,
  updated_at bigint not null,
  primary key (email_hash, network)
);

create index attempt_buckets_by_time on attempt_buckets (updated_at);

create table known_networks (
  account_id text collate "C" not null references accounts (id) on delete cascade,
  network text collate "C" not null,
  seen_at bigint not null,
  primary key (account_id, network)
);

create index known_networks_by_time on known_networks (seen_at);

create table health (
  id integer primary key,
  checks bigint not null
);
