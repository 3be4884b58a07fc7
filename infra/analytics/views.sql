-- Views that keep one record of each key. Each reads the table that has all records of a topic.

create view newest_state_entered as
  select * from state_events qualify row_number() over (partition by id order by journalOffset desc) = 1;
create view newest_transaction_snapshot as
  select * from transactions qualify row_number() over (partition by uetr order by version desc) = 1;
create view newest_reconciliation_item as
  select * from items qualify row_number() over (partition by uetr, number order by version desc) = 1;
create view newest_business_day as
  select * from days qualify row_number() over (partition by scheme, businessDate order by version desc) = 1;
create view newest_receipt as
  select * from receipts qualify row_number() over (partition by webhookId order by endedAtMs desc) = 1;

-- One row for each attempt that a receipt names: the last ten of a delivery.
create view attempts as
  select webhookId, uetr, bank, operation, attempt.atMs as atMs, attempt.httpStatusCode as httpStatusCode,
    attempt.tookMs as tookMs, attempt.class as class
  from (select webhookId, uetr, bank, operation, unnest(recentAttempts) as attempt from newest_receipt);
