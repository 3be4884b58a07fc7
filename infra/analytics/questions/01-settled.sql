-- What was settled, by business date and bank?
select businessDate, bank, currency, count(*) as debits, sum(amount) as total
from newest_transaction_snapshot
where state = 'COMPLETED'
group by all
order by all;
