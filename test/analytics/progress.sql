-- How far the lake has come.
select (select count(*) from newest_state_entered) as entries,
  (select count(*) from state_events where note is not null) as newer,
  (select count(*) from newest_reconciliation_item) as items,
  (select count(*) from newest_reconciliation_item where resolvedAtMs is null and settledAtMs is null) as unresolved,
  (select count(*) from newest_transaction_snapshot) as transactions;
