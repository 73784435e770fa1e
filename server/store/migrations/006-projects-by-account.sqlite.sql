-- Keeps the projects of an account together in the file, in the order of the list. With a rowid,
-- each project of a list was a read of another page.
create table projects_by_account (
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

insert into projects_by_account
select id, account_id, position, title, description, idempotency_key, created_at from projects;
drop table projects;
alter table projects_by_account rename to projects;

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
