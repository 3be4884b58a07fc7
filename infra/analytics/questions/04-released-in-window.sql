-- Was every debit released within a window?
with windows as (
  select scheme, businessDate, unnest(windows) as opened from newest_business_day
),
released as (
  select e.scheme, e.businessDate, w.opened.number as inWindow
  from newest_state_entered e
  left join windows w
    on w.scheme = e.scheme and w.businessDate = e.businessDate
    and e.enteredAtMs >= w.opened.openedAtMs and e.enteredAtMs < coalesce(w.opened.closedAtMs, w.opened.closesAtMs)
  where e.state = 'RELEASED'
)
select scheme, businessDate, coalesce(inWindow::varchar, 'none') as inWindow, count(*) as debits
from released
group by all
order by all;
