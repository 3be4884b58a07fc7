-- Tables of ClickHouse for the five topics. Each merges repeats away: of one key the newest version stays. Ask with
-- FINAL, because the merge comes later. `clickhouse.py` fills them from the lake.

create table state_events (
  id String,
  uetr String,
  stageVersion Int32,
  state LowCardinality(String),
  flow LowCardinality(String),
  scheme LowCardinality(String),
  service LowCardinality(String),
  direction LowCardinality(String),
  sender LowCardinality(String),
  bank LowCardinality(String),
  businessDate Date32,
  amount Decimal(22, 4),
  currency LowCardinality(String),
  reasonCodes Array(String),
  httpStatusCode Nullable(Int32),
  carryOvers Int32,
  enteredAtMs DateTime64(3, 'UTC'),
  journalPartition Int32,
  journalOffset Int64
) engine = ReplacingMergeTree(journalOffset) partition by toYYYYMM(businessDate) order by (businessDate, id);

create table transactions (
  uetr String,
  version Int64,
  flow Nullable(String),
  state LowCardinality(String),
  stageVersion Nullable(Int32),
  scheme Nullable(String),
  sender Nullable(String),
  bank Nullable(String),
  businessDate Nullable(String),
  reconciliationDay Nullable(String),
  deadlineMs Nullable(DateTime64(3, 'UTC')),
  amount Nullable(Decimal(22, 4)),
  currency Nullable(String),
  receivedAtMs DateTime64(3, 'UTC'),
  updatedAtMs DateTime64(3, 'UTC'),
  rows Array(Nullable(Int32)),
  journalOffset Int64
) engine = ReplacingMergeTree(version) order by uetr;

create table items (
  uetr String,
  number Int32,
  version Int64,
  scheme LowCardinality(String),
  businessDate Date32,
  flow Nullable(String),
  sender Nullable(String),
  bank Nullable(String),
  amount Nullable(Decimal(22, 4)),
  currency Nullable(String),
  state LowCardinality(String),
  row Nullable(Int32),
  reason Nullable(String),
  madeAtMs DateTime64(3, 'UTC'),
  settledAtMs Nullable(DateTime64(3, 'UTC')),
  resolution Nullable(String),
  resolvedAtMs Nullable(DateTime64(3, 'UTC')),
  lateAnswers Int32,
  journalPartition Int32,
  journalOffset Int64
) engine = ReplacingMergeTree(version) order by (uetr, number);

create table days (
  scheme LowCardinality(String),
  businessDate Date32,
  version Int64,
  calendarVersion String,
  zone String,
  isVoided Bool,
  windows Array(Tuple(
    number Int32,
    opensAtMs DateTime64(3, 'UTC'),
    closesAtMs DateTime64(3, 'UTC'),
    openedAtMs Nullable(DateTime64(3, 'UTC')),
    closedAtMs Nullable(DateTime64(3, 'UTC')),
    isMissed Bool
  )),
  cutOffAtMs DateTime64(3, 'UTC'),
  creditsFinalAtMs Nullable(DateTime64(3, 'UTC')),
  gateOpenedAtMs Nullable(DateTime64(3, 'UTC')),
  reconciliationAtMs DateTime64(3, 'UTC'),
  reconciledAtMs Nullable(DateTime64(3, 'UTC')),
  journalPartition Int32,
  journalOffset Int64
) engine = ReplacingMergeTree(version) order by (scheme, businessDate);

create table receipts (
  webhookId String,
  uetr String,
  bank LowCardinality(String),
  operation LowCardinality(String),
  stageVersion Nullable(Int32),
  outcome LowCardinality(String),
  attempts Int32,
  firstAttemptAtMs DateTime64(3, 'UTC'),
  endedAtMs DateTime64(3, 'UTC'),
  recentAttempts Array(Tuple(
    atMs DateTime64(3, 'UTC'),
    httpStatusCode Nullable(Int32),
    tookMs Int32,
    class String
  ))
) engine = ReplacingMergeTree(endedAtMs) order by webhookId;
