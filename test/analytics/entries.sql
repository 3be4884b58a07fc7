-- Every entry of the view.
select uetr || ' ' || stageVersion || ' ' || state as entry from newest_state_entered;
