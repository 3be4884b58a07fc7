// What a data contract says beyond the Avro schema: by topic what a row is and how repeats are known, by column what
// is personal.

import { topics } from "@sluice/contracts";

export interface ContractText {
  readonly purpose: string;
  /** How to read it once: the first sentence of the usage. */
  readonly usage: string;
  readonly limitations: string;
  /** What one row is. */
  readonly row: string;
  /** The columns that name a row; records with the same ones are repeats or versions. */
  readonly key: readonly string[];
  /** Of records with one key the highest counts; null: they are all the same. */
  readonly version: string | null;
  /** The column by which a table is partitioned; null where no date fits. */
  readonly partitionedBy: string | null;
  /** The time of what happened, from which its delay is measured; null where nobody waits for it. */
  readonly happenedAt: string | null;
}

const repeats = "At least once, in the order of each key apart from repeats.";

export const contractTexts: Readonly<Record<string, ContractText>> = {
  [topics.stateEvents]: {
    purpose: "Each entry of a transaction into a state: what was settled, rejected, held and moved, and when.",
    usage: "Keep one record of each id. Order the entries of a transaction by stageVersion.",
    limitations: `${repeats} A release from before this topic leaves gaps in stageVersion.`,
    row: "One entry of a transaction into a state.",
    key: ["id"],
    version: null,
    partitionedBy: "businessDate",
    happenedAt: "enteredAtMs",
  },
  [topics.transactions]: {
    purpose: "The newest state of each transaction.",
    usage: "Keep of each uetr the record with the highest version.",
    limitations: `${repeats} It is compacted: earlier states are in the state events. Identifications are as the sender chose them.`,
    row: "One transaction.",
    key: ["uetr"],
    version: "version",
    partitionedBy: null,
    happenedAt: "updatedAtMs",
  },
  [topics.items]: {
    purpose: "The items of each day's reconciliation list, and what became of them.",
    usage: "Keep of each uetr and number the record with the highest version.",
    limitations: `${repeats} An item gets new versions after its day: it is settled or resolved.`,
    row: "One item of a reconciliation list.",
    key: ["uetr", "number"],
    version: "version",
    partitionedBy: "businessDate",
    happenedAt: "madeAtMs",
  },
  [topics.days]: {
    purpose: "Business days of each scheme, with the times of their windows as planned and as they were.",
    usage: "Keep of each scheme and businessDate the record with the highest version.",
    limitations: `${repeats} A day is planned a week ahead, and its plan may change.`,
    row: "One business day of a scheme.",
    key: ["scheme", "businessDate"],
    version: "version",
    partitionedBy: "businessDate",
    happenedAt: null,
  },
  [topics.receipts]: {
    purpose: "How each delivery and each posting ended, with its attempts.",
    usage: "Keep of each webhookId the record with the latest endedAtMs.",
    limitations: `${repeats} Answers are masked and cut. Leave the answer and the address of attempts out of tables that many read.`,
    row: "One delivery of a message, or one posting of an event.",
    key: ["webhookId"],
    version: "endedAtMs",
    partitionedBy: null,
    happenedAt: "endedAtMs",
  },
};

/** Columns that may lead to a person; every other one is internal. */
export const personalColumns: ReadonlySet<string> = new Set(["uetr", "messageIdentification", "endToEndIdentification", "recentAttempts"]);
