-- How long does it take from receipt to each state?
with entries as (
  select flow, state, epoch_ms(enteredAtMs) - min(epoch_ms(enteredAtMs)) over (partition by uetr) as tookMs
  from newest_state_entered
)
select flow, state, count(*) as entries, round(median(tookMs) / 1000, 1) as medianSeconds,
  round(max(tookMs) / 1000, 1) as longestSeconds
from entries
group by all
order by flow, medianSeconds, state;
