-- How old are reconciliation items, and how long did their resolution take?
select bank, row, reason, count(*) as items,
  count(*) filter (where resolvedAtMs is null and settledAtMs is null) as stillOpen,
  round(max(epoch_ms(coalesce(resolvedAtMs, settledAtMs, now()::timestamptz)) - epoch_ms(madeAtMs)) / 1000, 1) as longestSeconds
from newest_reconciliation_item
group by all
order by all;
