-- Which answers of banks came after the close?
select businessDate, bank, row, count(*) as items,
  count(*) filter (where lateAnswers > 0) as withLateAnswers, count(settledAtMs) as settledByAnAnswer
from newest_reconciliation_item
group by all
order by all;
