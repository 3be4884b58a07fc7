-- Which debits moved to another business date?
with entries as (
  select *, lag(state) over stages as stateBefore, lag(businessDate) over stages as dateBefore
  from newest_state_entered
  window stages as (partition by uetr order by stageVersion)
)
select scheme, bank, dateBefore as fromDate, businessDate as toDate, currency, count(*) as debits, sum(amount) as total
from entries
where state = 'HELD' and stateBefore = 'HELD' and businessDate <> dateBefore
group by all
order by all;
