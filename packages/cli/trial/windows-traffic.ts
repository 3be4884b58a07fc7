// What banks and the connector send during a round of windows: debits all the time, on-us and from elsewhere, and some credits before the
// declaration, which keep a bank's gate closed until they are answered. Drawn from the seed; when each leaves is the clock's affair.

import type { Random, Time } from "@sluice/runtime";
import { sleep } from "@sluice/runtime";
import { acknowledge, creditTransfer, directDebit, goodAccount, offUsDebit, reportMade, uetrFrom } from "@sluice/testkit";
import type { BankSimulator, ConnectorSimulator, ScriptRule, SendEnd } from "@sluice/testkit";
import type { WorldBank } from "../world/parties.ts";

export const trialBanks: readonly WorldBank[] = [
  { id: "karoo", branch: "250655" },
  { id: "baobab", branch: "250656" },
  // One debit out in each lane: its queue is longer than a window.
  { id: "protea", branch: "250657", members: { maxUnacknowledged: 12 } },
];

const slowly: ScriptRule = { operation: "inboundDirectDebit", answer: acknowledge({ afterMs: 100, jitterMs: 500 }) };

/** Of each bank, before the rules of all. */
export const scripts: Readonly<Record<string, readonly ScriptRule[]>> = {
  baobab: [{ operation: "inboundCreditTransferAuthorization", reports: [reportMade({ afterMs: 4_000, jitterMs: 4_000 })] }],
  protea: [slowly],
};
export const scriptOfAll: readonly ScriptRule[] = [
  { answer: acknowledge({ afterMs: 2, jitterMs: 30 }) },
  { reports: [reportMade({ afterMs: 100, jitterMs: 500 })] },
];

export interface TrafficPorts {
  readonly random: Random;
  readonly time: Time;
  readonly banks: ReadonlyMap<string, BankSimulator>;
  readonly connector: ConnectorSimulator;
  readonly signal: AbortSignal;
}

export interface Traffic {
  /** UETRs of what was sent, so far. */
  readonly sent: readonly string[];
  /** Posts debits until `untilMs` by the clock; resolves when each was answered for good. Answers what was not accepted. */
  postUntil(untilMs: number): Promise<readonly string[]>;
  /** Sends credits, one for each bank; likewise. */
  sendCredits(): Promise<readonly string[]>;
  declareCreditsFinal(businessDate: string): Promise<readonly string[]>;
}

const intervalMs = 110;
const fromElsewhereShare = 0.15;

export function createTraffic({ random, time, banks, connector, signal }: TrafficPorts): Traffic {
  const sent: string[] = [];

  function nextDebit(): Promise<string | null> {
    const number = sent.length + 1;
    const { id, branch } = trialBanks[Math.floor(random.fraction() * trialBanks.length)] ?? missing();
    const uetr = uetrFrom(random);
    const isFromElsewhere = random.fraction() < fromElsewhereShare;
    const messageIdentification = `${isFromElsewhere ? "CLEARING" : id.toUpperCase()}-${String(number).padStart(6, "0")}`;
    const options = { uetr, messageIdentification, debtorBranch: branch, debtorAccount: goodAccount(number), creationDateTime: nowText() };
    sent.push(uetr);
    const bank = banks.get(id) ?? missing();
    return ended(uetr, isFromElsewhere ? connector.sendDebit(offUsDebit(options)) : bank.sendDebit(directDebit(options)));
  }

  function nextCredit({ branch }: WorldBank): Promise<string | null> {
    const number = sent.length + 1;
    const uetr = uetrFrom(random);
    sent.push(uetr);
    const message = creditTransfer({
      uetr,
      messageIdentification: `CREDIT-${String(number).padStart(6, "0")}`,
      creditorBranch: branch,
      creditorAccount: goodAccount(number),
      creationDateTime: nowText(),
    });
    return ended(uetr, connector.sendCredit(message));
  }

  function nowText(): string {
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
      return problemsOf(posting);
    },
    sendCredits: () => problemsOf(trialBanks.map(nextCredit)),
    declareCreditsFinal: (businessDate) =>
      problemsOf([ended(`credits final of ${businessDate}`, connector.declareCreditsFinal({ businessDate }))]),
  };
}

async function ended(what: string, sending: Promise<SendEnd>): Promise<string | null> {
  const { status, body } = await sending;
  return status === 202 ? null : `${what} was answered ${status ?? "nothing"} ${new TextDecoder().decode(body)}`;
}

async function problemsOf(posting: readonly Promise<string | null>[]): Promise<readonly string[]> {
  return (await Promise.all(posting)).filter((problem) => problem !== null);
}

function missing(): never {
  throw new Error("no such bank in this trial");
}
