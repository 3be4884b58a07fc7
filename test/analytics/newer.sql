-- The column of the newer schema.
select note, count(*) as records from state_events group by all order by note nulls last;
