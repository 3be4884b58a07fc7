-- How many attempts does a delivery need, and how fast does each bank answer?
with answers as (
  select bank, operation, median(tookMs) as medianMs from attempts group by all
)
select r.bank, r.operation, round(avg(r.attempts), 2) as meanAttempts, max(r.attempts) as mostAttempts,
  any_value(a.medianMs) as medianAnswerMs
from newest_receipt r left join answers a using (bank, operation)
group by all
order by all;
