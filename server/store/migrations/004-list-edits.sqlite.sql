-- Counts changes of an account's list other than a project added at its end, as by SQL by hand.
alter table accounts add column list_edits integer not null default 0;

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
