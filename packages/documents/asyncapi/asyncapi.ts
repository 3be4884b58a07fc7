// Builds the AsyncAPI 3.1 document of the topics from contracts' record map, the newest version of each Avro schema,
// and messaging's topic settings. It is for people who read the topics: analysts, operators, tests. Banks never see it.

import { headers, isSignedByConsole, partitionCountDefault, recordMap, schemaVersions, type RecordName } from "@sluice/contracts";
import { buildTopicSpecs, type TopicSpec } from "@sluice/messaging";
import { documentVersion } from "../openapi/openapi.ts";
import { shareParts, type SharedKind } from "../shared-parts.ts";

type Part = Readonly<Record<string, unknown>>;

const specs = buildTopicSpecs({ partitionCount: partitionCountDefault, replication: 3, minInsync: 2 });
const avro = "application/vnd.apache.avro+json;version=1.9.0";

export function buildAsyncApiDocument(): Part {
  return shareParts(buildWholeDocument(), [avroTypes]);
}

/** Named types that several records have. Inside a record a type is written out once and named from then on. */
const avroTypes: SharedKind = {
  component: "schemas",
  nameAt: (path, { type, name }) =>
    (type === "record" || type === "enum") && typeof name === "string" && path.at(-1) !== "schema" ? name : null,
  wrap: (schema) => ({ schemaFormat: avro, schema }),
};

function buildWholeDocument(): Part {
  return {
    asyncapi: "3.1.0",
    info: { title: "Sluice's topics", version: documentVersion, description },
    defaultContentType: "application/octet-stream",
    servers: {
      kafka: {
        host: "{brokers}",
        protocol: "kafka",
        description: "The brokers that Sluice is configured with, and their schema registry.",
        variables: { brokers: { description: "Host and port of each, with commas between them.", default: "localhost:9092" } },
      },
    },
    channels: Object.fromEntries(specs.map((spec) => [channelName(spec.topic), channel(spec)])),
    operations: Object.fromEntries(operations()),
    components: { messages: Object.fromEntries(records().map((record) => [record, message(record)])) },
  };
}

const description = `Sluice is a log: what happens to a transaction is a record of the journal, and everything else follows from it. Records are Avro in the Confluent wire format (a zero
byte, the schema's id as four bytes, the record), subjects by TopicRecordNameStrategy (\`<topic>-sluice.<Record>\`), compatibility FULL_TRANSITIVE: a reader with any version reads what any version wrote.

The partition of a key is (murmur2(key) & 0x7fffffff) mod partitions, so that all that happens to one UETR is in one partition, in order. Times are the log's (\`LogAppendTime\`). Amounts are decimals: \`value\` × 10^-4 exactly, \`digits\` decimals as
they were written.

**For analysts** are \`sluice.state-events.v1\`, \`sluice.transactions.v1\`, \`sluice.items.v1\` and \`sluice.days.v1\`, and \`sluice.receipts.v1\` for attempts. Each has one record type, registered under \`<topic>-value\` too.
Records are written at least once: keep one of each \`id\`, or of each key the one with the highest \`version\`. All other topics are internal: services tell them apart by headers, and they have names and account numbers.`;

const topicTexts: Readonly<Record<string, string>> = {
  journal:
    "The log of record: all that happened, in order for each UETR. It is kept for good. Markers (WindowOpened, …) are in every partition.",
  dispatch: "Messages to be delivered to banks and connectors, and changes to deliveries.",
  events: "Postings to banks, one for each entry of a transaction into a state, and changes to their deliveries.",
  transactions: "For analysts: the newest state of each transaction. It is compacted and kept for good.",
  "state-events": "For analysts: each entry of a transaction into a state, in order for each UETR.",
  items: "For analysts: the items of reconciliation lists. Of an item's records the one with the highest version counts.",
  days: "For analysts: business days and their windows. Of a day's records the one with the highest version counts.",
  receipts: "How each delivery and each posting ended.",
  probe: "Asks the log for its time. Nothing to read.",
  "dead-letters": "Records that could not be read, with their bytes and the reason.",
  proposals: "Decisions that operators proposed, and how each proposal ended. It is kept for good.",
  audit: "Who signed in, was refused, read, exported and decided, and what changed in the configuration. Chained by hash and sealed.",
};

export function describeTopic(topic: string): string {
  return topicTexts[channelName(topic)] ?? topic;
}

function channel({ topic, partitions, replication, config }: TopicSpec): Part {
  const used = recordMap.filter((use) => use.topic === topic);
  return {
    address: topic,
    description: describeTopic(topic),
    ...(used.length === 0
      ? {}
      : { messages: Object.fromEntries(used.map(({ record }) => [record, { $ref: `#/components/messages/${record}` }])) }),
    bindings: {
      kafka: {
        topic,
        partitions,
        replicas: replication,
        topicConfiguration: { "cleanup.policy": [config["cleanup.policy"]], "retention.ms": Number(config["retention.ms"]) },
        bindingVersion: "0.5.0",
      },
    },
  };
}

function operations(): readonly (readonly [string, Part])[] {
  const made = (action: "send" | "receive", users: (use: (typeof recordMap)[number]) => readonly string[]) => {
    const uses = recordMap.flatMap((use) => users(use).map((service) => ({ service, topic: use.topic, record: use.record })));
    return [...Map.groupBy(uses, ({ service, topic }) => `${service}-${action}s-${channelName(topic)}`)].map(([name, group]) => {
      const [first] = group;
      const path = `#/channels/${channelName(first?.topic ?? "")}`;
      const messages = group.map(({ record }) => ({ $ref: `${path}/messages/${record}` }));
      return [name, { action, channel: { $ref: path }, title: `${first?.service} ${action}s`, messages }] as const;
    });
  };
  return [...made("send", ({ writtenBy }) => writtenBy), ...made("receive", ({ readBy }) => readBy)];
}

function records(): readonly RecordName[] {
  return [...new Set(recordMap.map(({ record }) => record))];
}

function message(record: RecordName): Part {
  const schema: { readonly doc: string } = JSON.parse(schemaVersions[record].at(-1) ?? "{}");
  return {
    name: record,
    title: record,
    summary: schema.doc,
    contentType: "application/octet-stream",
    headers: {
      type: "object",
      required: [headers.type],
      properties: {
        [headers.type]: {
          type: "string",
          const: record,
          description: "The record's type, so that a reader can pass over it without decoding.",
        },
        [headers.traceparent]: { type: "string", description: "W3C trace context of the request that began it all, where there was one." },
        ...ownHeaders(record),
      },
    },
    payload: { schemaFormat: avro, schema },
    bindings: { kafka: { key: { type: "string", description: describeKey(record, schema.doc) }, bindingVersion: "0.5.0" } },
  };
}

/** The records of `dispatch` and `events` that are for one receiver. */
const receiverRecords: ReadonlySet<RecordName> = new Set<RecordName>([
  "Dispatch",
  "DispatchChange",
  "TransactionStateEvent",
  "EsmStateEvent",
]);

function ownHeaders(record: RecordName): Part {
  const signature = isSignedByConsole(record)
    ? { [headers.operatorSignature]: text("The console's signature, where operators' records are signed: `KEY-ID=BASE64`.") }
    : {};
  return { ...headersByUse(record), ...signature };
}

const text = (description: string): Part => ({ type: "string", description });

function headersByUse(record: RecordName): Part {
  if (record === "DeadLettersReplayed")
    return {
      [headers.quarantinedFrom]: text("Offset of the first record that was dead-lettered."),
      [headers.quarantinedTo]: text("Offset behind the last record that the transaction had applied."),
    };
  if (receiverRecords.has(record)) return { [headers.receiver]: text("Id of the bank or connector that the record is for.") };
  if (record !== "DeadLetter") return {};
  return { [headers.skip]: text("Skipped by an operator: `requested`, or `done` by the service whose partition stood at the record.") };
}

/** Records keyed by their business day, as markers are; the others are keyed by UETR. */
const dayRecords: ReadonlySet<RecordName> = new Set<RecordName>([
  "CreditsFinalRequested",
  "DayPlanned",
  "DayTimeReached",
  "PartitionCredits",
  "PartitionBankClear",
  "CloseExtensionRequested",
  "GateOpeningRequested",
  "BusinessDay",
]);
const proposalRecords: ReadonlySet<RecordName> = new Set<RecordName>([
  "DecisionProposed",
  "DecisionConfirmed",
  "DecisionRejected",
  "DecisionRetracted",
]);
const bankRecords: ReadonlySet<RecordName> = new Set<RecordName>(["BankPauseRequested", "BankResumeRequested", "EndpointCheckRequested"]);
/** What the key of a record is; `doc` is the text of its schema. */
export function describeKey(record: RecordName, doc: string): string {
  if (record === "DeadLetter") return "The key of the record that could not be read.";
  if (proposalRecords.has(record)) return "`proposals`: all are in one partition, in one order.";
  if (record === "AuditEntry" || record === "AuditSeal") return "`audit`: all are in one partition, in one order.";
  if (record === "BankPaused" || record === "BankResumed") return "`bank:<id>`; one copy in every partition.";
  if (bankRecords.has(record)) return "`bank:<id>`.";
  if (doc.startsWith("Marker:")) return "`scheme:date` of the business day; one copy in every partition.";
  return dayRecords.has(record) ? "`scheme:date` of the business day." : "The UETR in lower case, 36 characters.";
}

function channelName(topic: string): string {
  return topic.replace(/^sluice\./, "").replace(/\.v\d+.*$/, "");
}
