// Checks whether the leaders of the journal's partitions answer, for the readiness of a process that may have nothing
// to ask them for a while.
//
// #1 It looks when it is asked, at most every five seconds, and answers what it knows by then.
// #2 Each partition is asked alone and once at a time, because a leader that is away or hangs must not make the others
//    look silent (I14). One that has not answered for five seconds is silent until it does.

import { topics } from "@sluice/contracts";
import type { Time } from "@sluice/kernel";
import type { Messaging } from "./port.ts";

export interface JournalProbe {
  /** The partitions whose leaders do not answer, in order; none before the first look. */
  silent(): readonly number[];
}

export interface JournalProbePorts {
  readonly time: Time;
  readonly messaging: Pick<Messaging, "ends">;
  /** Number of partitions of the journal. */
  readonly partitionCount: number;
}

interface Question {
  isSilent: boolean;
  /** On the monotonic clock; null: nothing is asked now. */
  askedAtMs: number | null;
}

const everyMs = 5_000;
const answerMaxMs = 5_000;

export function createJournalProbe({ time, messaging, partitionCount }: JournalProbePorts): JournalProbe {
  const questions = Array.from({ length: partitionCount }, (): Question => ({ isSilent: false, askedAtMs: null }));
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  async function ask(partition: number, question: Question, nowMs: number): Promise<void> {
    question.askedAtMs = nowMs;
    try {
      await messaging.ends([{ topic: topics.journal, partition }]);
      question.isSilent = false;
    } catch {
      question.isSilent = true;
    }
    question.askedAtMs = null;
  }

  return {
    silent() {
      const nowMs = time.monotonicMs();
      if (nowMs - lookedAtMs >= everyMs) {
        lookedAtMs = nowMs;
        for (const [partition, question] of questions.entries()) if (question.askedAtMs === null) void ask(partition, question, nowMs);
      }
      return questions.flatMap(({ isSilent, askedAtMs }, partition) =>
        isSilent || (askedAtMs !== null && nowMs - askedAtMs >= answerMaxMs) ? [partition] : [],
      );
    },
  };
}
