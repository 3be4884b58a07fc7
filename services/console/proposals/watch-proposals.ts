// Measures every half minute how many proposals wait for a second person, and for how long the oldest one has waited.
//
// #1 If the topic cannot be read the numbers stay as they were: a log that is not available has an alarm of its own.

import { Fault, type Logger, type Metrics, type Time, formatReason } from "@sluice/kernel";
import type { BrokerClock } from "@sluice/messaging";
import type { ProposalBook } from "./proposal-book.ts";
import { readProposalState } from "./proposal.ts";

export interface WatchProposalsPorts {
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly brokerClock: Pick<BrokerClock, "nowMs">;
  readonly book: ProposalBook;
}

export const proposalsCheckEveryMs = 30_000;

export function watchProposals({ time, logger, metrics, brokerClock, book }: WatchProposalsPorts): { stop(): void } {
  const waiting = metrics.gauge("sluice_console_proposals_waiting", "Proposals that a second person can still confirm");
  const oldest = metrics.gauge("sluice_console_proposal_age_seconds", "How long the oldest proposal that can be confirmed has waited");
  let isStopped = false;
  let timer = time.after(0, () => void check());

  async function check(): Promise<void> {
    const nowMs = brokerClock.nowMs();
    if (nowMs !== null) await measure(nowMs);
    if (!isStopped) timer = time.after(proposalsCheckEveryMs, () => void check());
  }

  async function measure(nowMs: number): Promise<void> {
    try {
      const open = (await book.read()).list().filter((proposal) => readProposalState(proposal, nowMs) === "proposed");
      waiting.set(open.length);
      oldest.set(open.length === 0 ? 0 : Math.max(0, nowMs - (open[0]?.proposedAtMs ?? nowMs)) / 1_000);
    } catch (error) {
      if (!(error instanceof Fault)) logger.error("console.failed", { operation: "watchProposals", error });
      else logger.warn("proposals.not-read", { code: error.code, reason: formatReason(error) });
    }
  }

  return {
    stop() {
      isStopped = true;
      timer[Symbol.dispose]();
    },
  };
}
