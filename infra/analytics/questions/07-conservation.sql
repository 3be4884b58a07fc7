-- Is every transaction accounted for, as the ledger says it?
with entries as (
  select *, lag(state) over stages as stateBefore, lag(businessDate) over stages as dateBefore,
    row_number() over (partition by uetr order by stageVersion desc) = 1 as isNewest
  from newest_state_entered
  window stages as (partition by uetr order by stageVersion)
),
moves as (
  select * from entries where state = 'HELD' and stateBefore = 'HELD' and businessDate <> dateBefore
),
origins as (
  select uetr, arg_min(dateBefore, stageVersion) as businessDate from moves group by uetr
),
withdrawn as (
  select distinct uetr from newest_reconciliation_item where reason = 'WITHDRAWN'
),
places as (
  select e.scheme, coalesce(o.businessDate, e.businessDate) as businessDate, e.bank, e.currency, e.amount,
    if(e.flow = 'credit', 'creditAccepted', 'accepted') as place
  from entries e left join origins o using (uetr) where isNewest
  union all
  select scheme, dateBefore, bank, currency, amount, 'carriedOut' from moves
  union all
  select scheme, businessDate, bank, currency, amount, 'carriedIn' from moves
  union all
  select scheme, businessDate, bank, currency, amount,
    case
      when state = 'RECONCILIATION' and uetr in (from withdrawn) then 'withdrawn'
      when state = 'RECONCILIATION' then 'reconciled'
      when state = 'COMPLETED' then 'completed'
      when state = 'UNPAID' then 'unpaid'
      when state = 'REJECTION_REPORTED' then 'rejected'
      when state = 'CREDIT_AUTH_RESPONSE_ACCEPTED' then 'creditResponseAccepted'
      when state = 'CREDIT_AUTH_REJECTED' then 'creditRejected'
      when state = 'CREDIT_AUTH_DELIVERY_FAILURE' then 'creditFailed'
      when state = 'CREDIT_AUTH_RECONCILIATION' then 'creditReconciled'
      when flow = 'credit' then 'creditOpen'
      else 'open'
    end
  from entries where isNewest
)
select scheme, businessDate, bank, currency, place, count(*) as transactions, sum(amount) as total
from places
group by all
order by all;
