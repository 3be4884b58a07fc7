// Facts that the standing tasks append to the journal, all through one producer.
//
// 1. Facts of one call that are of one lane lie there in the order given.
// 2. False means: perhaps not all of them are there. Nothing is kept: the task's next turn makes them again, and a second one changes nothing.

import { outgoingRecord, recordFromFact, topics } from "@sluice/contracts";
import type { AppendedFact, Serde } from "@sluice/contracts";
import type { AgreedTime, OutgoingRecord, Producer } from "@sluice/messaging";
import type { Log } from "@sluice/telemetry";

export interface FactToAppend {
  /** UETR, or `scheme:date`. */
  readonly key: string;
  readonly fact: AppendedFact;
}

export type AppendFacts = (facts: readonly FactToAppend[]) => Promise<boolean>;

export interface AppendingOptions {
  readonly producer: Producer;
  readonly serde: Serde;
  readonly lanes: number;
  readonly agreedTime: AgreedTime;
  readonly log: Log;
}

const sendRecordsMax = 5_000;

export function createAppending({ producer, serde, lanes, agreedTime, log }: AppendingOptions): AppendFacts {
  const toRecord = ({ key, fact }: FactToAppend): OutgoingRecord =>
    outgoingRecord(serde, topics.journal, key, recordFromFact(fact), { lanes });

  return async (facts) => {
    try {
      for (let start = 0; start < facts.length; start += sendRecordsMax) {
        const appended = await producer.send(facts.slice(start, start + sendRecordsMax).map(toRecord));
        for (const { appendedAtMs } of appended) agreedTime.saw(appendedAtMs);
      }
      return true;
    } catch (error) {
      log.warn("facts.not-appended", { fact: facts[0]?.fact.kind, count: facts.length, reason: String(error) });
      return false;
    }
  };
}
