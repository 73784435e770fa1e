-- Counts changes of an account's list other than a project added at its end, as by SQL by hand.
alter table accounts add column list_edits integer not null default 0;

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
