-- What did receivers refuse, and what had to be sent more than once?
select bank, operation, count(*) as deliveries, count(*) filter (where outcome = 'REFUSED') as refused,
  count(*) filter (where attempts > 1) as repeated
from newest_receipt
group by all
order by all;
