-- Tables of Flink SQL over the topics of analysts. UNTRIED: no test runs this file. The brokers and the registry are
-- those of your own installation. Needs flink-sql-connector-kafka and flink-sql-avro-confluent-registry.

create table state_events (
  id string,
  uetr string,
  stageVersion int,
  state string,
  flow string,
  scheme string,
  sender string,
  bank string,
  businessDate date,
  amount decimal(22, 4),
  currency string,
  reasonCodes array<string>,
  enteredAtMs timestamp(3),
  journalOffset bigint,
  watermark for enteredAtMs as enteredAtMs - interval '60' second
) with (
  'connector' = 'kafka',
  'topic' = 'sluice.state-events.v1',
  'properties.bootstrap.servers' = 'BROKERS',
  'properties.group.id' = 'analysts',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'avro-confluent',
  'avro-confluent.url' = 'REGISTRY'
);

create table transactions (
  uetr string,
  version bigint,
  state string,
  flow string,
  bank string,
  businessDate string,
  amount decimal(22, 4),
  currency string,
  primary key (uetr) not enforced
) with (
  'connector' = 'upsert-kafka',
  'topic' = 'sluice.transactions.v1',
  'properties.bootstrap.servers' = 'BROKERS',
  'key.format' = 'raw',
  'value.format' = 'avro-confluent',
  'value.avro-confluent.url' = 'REGISTRY'
);

-- One row of each entry, also where a record came twice.
create view newest_state_entered as
select * from (
  select *, row_number() over (partition by id order by journalOffset desc) as place from state_events
) where place = 1;

-- What was settled, by business date and bank.
select businessDate, bank, currency, count(*) as debits, sum(amount) as total
from transactions
where state = 'COMPLETED'
group by businessDate, bank, currency;
