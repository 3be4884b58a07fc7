// The indexes of every collection. They are created by provisioning and at the start of a service.

interface IndexSpec {
  readonly key: Readonly<Record<string, 1>>;
  readonly name: string;
  readonly unique?: true;
  /** Documents without the field are not in the index. */
  readonly sparse?: true;
}

export const transactionIndexes: readonly IndexSpec[] = [
  { key: { _id: 1, version: 1 }, name: "compare-and-set", unique: true },
  // The name is the one that it was first created with: a server refuses the same keys under a second name.
  { key: { partition: 1, isOpen: 1, _id: 1 }, name: "unresolved" },
  { key: { "message.messageIdentification": 1, "message.sender": 1 }, name: "identified" },
  { key: { partition: 1, bank: 1, scheme: 1, businessDate: 1, state: 1, queueKey: 1 }, name: "held" },
  { key: { "items.day": 1, _id: 1 }, name: "items" },
  // Finds all transactions of a partition that were ever on a day, which conservation counts.
  { key: { partition: 1, scheme: 1, "transitions.businessDate": 1, _id: 1 }, name: "accounted" },
  // For people's queries: one bank's or one date's transactions are read without reading others.
  { key: { scheme: 1, businessDate: 1, bank: 1, state: 1 }, name: "of-date" },
  { key: { bank: 1, state: 1, businessDate: 1 }, name: "of-bank" },
  ...["endToEndIdentification", "transactionIdentification", "instructionIdentification", "debtorAccountEnd", "creditorAccountEnd"].map(
    (term) => ({ key: { [`search.${term}`]: 1 } as const, name: term }),
  ),
  { key: { "finalReport.messageIdentification": 1 }, name: "final-report" },
  { key: { "search.reasons": 1 }, name: "reasons" },
  { key: { amountTenThousandths: 1, currency: 1 }, name: "amount" },
  // The newest first, as people list them, and what was received in a time.
  { key: { receivedAt: 1, _id: 1 }, name: "received" },
  // Few have decisions: who decided what, and when, is found without reading the others.
  { key: { "decisions.at": 1 }, name: "decided", sparse: true },
  { key: { "quarantined.since": 1 }, name: "quarantined", sparse: true },
  // Few messages have no effect: a repeat with another amount is found without reading all others.
  { key: { "observations.last.kind": 1 }, name: "observed", sparse: true },
];

const parkedIndexes: readonly IndexSpec[] = [
  { key: { _id: 1, version: 1 }, name: "compare-and-set", unique: true },
  { key: { partition: 1, sequence: 1, _id: 1 }, name: "of-partition" },
  { key: { partition: 1, bank: 1, sequence: 1 }, name: "of-receiver" },
  { key: { deliveryKey: 1, sequence: 1 }, name: "of-key" },
  { key: { bank: 1, sequence: 1, _id: 1 }, name: "of-bank" },
  // Finds the few that fail often among a million that wait.
  { key: { attempts: 1, bank: 1, sequence: 1, _id: 1 }, name: "attempted" },
];

/** By collection; builds have collections of their own with the indexes of transactions. */
export const preparedIndexes: readonly (readonly [string, readonly IndexSpec[]])[] = [
  ["transactions", transactionIndexes],
  ["days", [{ key: { isReconciled: 1, _id: 1 }, name: "open" }]],
  [
    "ledgers",
    [
      { key: { day: 1, partition: 1 }, name: "of-day" },
      { key: { partition: 1, day: 1 }, name: "of-partition" },
    ],
  ],
  ["deliveries", parkedIndexes],
  ["postings", parkedIndexes],
];
