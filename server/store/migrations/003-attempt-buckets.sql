-- Replaces `attempts`, which replicas of the previous version still use. Times are the store's.
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

create index sessions_by_account on sessions (account_id);
