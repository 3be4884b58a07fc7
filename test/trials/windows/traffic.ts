// Sends what banks and the connector send during a round of windows: on-us and off-us debits all the time, and some
// credits before the declaration, which keep a bank's gate closed until they are answered. The messages are drawn from
// the seed; the instants depend on the clock.

import { type Random, sleep, type Time } from "@sluice/kernel";
import {
  acknowledge,
  type BankSimulator,
  buildCreditTransfer,
  buildDirectDebit,
  buildOffUsDebit,
  type ConnectorSimulator,
  drawUetr,
  reportSettled,
  type ScriptRule,
  type SendResult,
  validAccount,
} from "@sluice/testkit";
import type { EnvironmentBank } from "@sluice/environment";

export const windowsBanks: readonly EnvironmentBank[] = [
  { id: "karoo", branch: "250655" },
  { id: "baobab", branch: "250656" },
  // With one debit in flight per partition, the queue lasts longer than a window.
  { id: "protea", branch: "250657", members: { maxUnacknowledged: 12 } },
];

const slowAnswer: ScriptRule = { operation: "inboundDirectDebit", answer: acknowledge({ afterMs: 100, jitterMs: 500 }) };

/** Rules of single banks, which come before the common ones. */
export const bankScripts: Readonly<Record<string, readonly ScriptRule[]>> = {
  baobab: [{ operation: "inboundCreditTransferAuthorization", reports: [reportSettled({ afterMs: 4_000, jitterMs: 4_000 })] }],
  protea: [slowAnswer],
};
export const commonScript: readonly ScriptRule[] = [
  { answer: acknowledge({ afterMs: 2, jitterMs: 30 }) },
  { reports: [reportSettled({ afterMs: 100, jitterMs: 500 })] },
];

export interface TrafficPorts {
  readonly random: Random;
  readonly time: Time;
  readonly banks: ReadonlyMap<string, BankSimulator>;
  readonly connector: ConnectorSimulator;
  readonly signal: AbortSignal;
}

export interface Traffic {
  /** UETRs of everything sent so far. */
  readonly sent: readonly string[];
  /** Posts debits until `untilMs`. Resolves when each has its final answer, with the ones that were not accepted. */
  postUntil(untilMs: number): Promise<readonly string[]>;
  /** Sends one credit for each bank; resolves likewise. */
  sendCredits(): Promise<readonly string[]>;
  declareCreditsFinal(businessDate: string): Promise<readonly string[]>;
}

const intervalMs = 110;
const offUsShare = 0.15;

export function createTraffic({ random, time, banks, connector, signal }: TrafficPorts): Traffic {
  const sent: string[] = [];

  function nextDebit(): Promise<string | null> {
    const number = sent.length + 1;
    const { id, branch } = windowsBanks[Math.floor(random.fraction() * windowsBanks.length)] ?? missing();
    const uetr = drawUetr(random);
    const isOffUs = random.fraction() < offUsShare;
    const messageIdentification = `${isOffUs ? "CLEARING" : id.toUpperCase()}-${String(number).padStart(6, "0")}`;
    const options = {
      uetr,
      messageIdentification,
      debtorBranch: branch,
      debtorAccount: validAccount(number),
      creationDateTime: formatNow(),
    };
    sent.push(uetr);
    const bank = banks.get(id) ?? missing();
    return awaitAcceptance(uetr, isOffUs ? connector.sendDebit(buildOffUsDebit(options)) : bank.sendDebit(buildDirectDebit(options)));
  }

  function nextCredit({ branch }: EnvironmentBank): Promise<string | null> {
    const number = sent.length + 1;
    const uetr = drawUetr(random);
    sent.push(uetr);
    const message = buildCreditTransfer({
      uetr,
      messageIdentification: `CREDIT-${String(number).padStart(6, "0")}`,
      creditorBranch: branch,
      creditorAccount: validAccount(number),
      creationDateTime: formatNow(),
    });
    return awaitAcceptance(uetr, connector.sendCredit(message));
  }

  function formatNow(): string {
    return new Date(time.nowMs()).toISOString();
  }

  return {
    sent,
    async postUntil(untilMs) {
      const posting: Promise<string | null>[] = [];
      while (time.nowMs() < untilMs && !signal.aborted) {
        posting.push(nextDebit());
        await sleep(time, intervalMs, signal);
      }
      return collectProblems(posting);
    },
    sendCredits: () => collectProblems(windowsBanks.map(nextCredit)),
    declareCreditsFinal: (businessDate) =>
      collectProblems([awaitAcceptance(`credits final of ${businessDate}`, connector.declareCreditsFinal({ businessDate }))]),
  };
}

async function awaitAcceptance(what: string, sending: Promise<SendResult>): Promise<string | null> {
  const { status, body } = await sending;
  return status === 202 ? null : `${what} was answered ${status ?? "nothing"} ${new TextDecoder().decode(body)}`;
}

async function collectProblems(posting: readonly Promise<string | null>[]): Promise<readonly string[]> {
  return (await Promise.all(posting)).filter((problem) => problem !== null);
}

function missing(): never {
  throw new Error("no such bank in this trial");
}
