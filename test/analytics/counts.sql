-- What the views of all tables have.
select (select count(*) from newest_state_entered) as entries,
  (select count(*) from newest_transaction_snapshot) as transactions,
  (select count(*) from newest_reconciliation_item) as items,
  (select count(*) from newest_business_day) as days,
  (select sum(len(windows)) from newest_business_day) as windows,
  (select count(*) from newest_receipt) as receipts,
  (select sum(attempts) from newest_receipt) as attempts;
