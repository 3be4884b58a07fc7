// Appends the facts of the background tasks to the journal, all through one producer.
//
// #1 Facts of one call that belong to one partition are appended in the order given.
// #2 False means that some of them may be missing. Nothing is kept: the task's next run makes them again, and a second
//    copy changes nothing.

import { type AppendedFact, outgoingRecord, recordFromFact, type Serde, topics } from "@sluice/contracts";
import type { BrokerClock, OutgoingRecord, Producer } from "@sluice/messaging";
import { formatReason, type Logger } from "@sluice/kernel";

export interface FactToAppend {
  /** A UETR, or `scheme:date`. */
  readonly key: string;
  readonly fact: AppendedFact;
}

export type AppendFacts = (facts: readonly FactToAppend[]) => Promise<boolean>;

export interface AppendFactsOptions {
  readonly producer: Producer;
  readonly serde: Serde;
  readonly partitionCount: number;
  readonly brokerClock: Pick<BrokerClock, "nowMs" | "observe">;
  readonly logger: Logger;
}

const sendRecordsMax = 5_000;

export function createFactAppender({ producer, serde, partitionCount, brokerClock, logger }: AppendFactsOptions): AppendFacts {
  const toRecord = ({ key, fact }: FactToAppend): OutgoingRecord =>
    outgoingRecord(serde, topics.journal, key, recordFromFact(fact), { partitionCount });

  return async (facts) => {
    try {
      for (let start = 0; start < facts.length; start += sendRecordsMax) {
        const appended = await producer.send(facts.slice(start, start + sendRecordsMax).map(toRecord));
        for (const { appendedAtMs } of appended) brokerClock.observe(appendedAtMs);
      }
      return true;
    } catch (error) {
      logger.warn("facts.not-appended", { fact: facts[0]?.fact.kind, count: facts.length, reason: formatReason(error) });
      return false;
    }
  };
}
