-- Rows of the table, repeats included.
select count(*) as entries from state_events;
