-- Sums by state.
select state, sum(amount) as total from newest_state_entered group by state order by state;
