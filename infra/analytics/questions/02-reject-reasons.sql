-- Why were debits and credits rejected or left unpaid?
with reasons as (
  -- REJECTION_REPORTED repeats the reasons of REJECTED.
  select flow, state, currency, amount, unnest(reasonCodes) as reason from newest_state_entered
  where state <> 'REJECTION_REPORTED'
)
select flow, state, reason, currency, count(*) as entries, sum(amount) as total
from reasons
group by all
order by all;
