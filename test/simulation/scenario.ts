// What a simulated day holds, drawn from its seed: debits, what the banks do with them, and how much goes wrong.

import type { Random } from "@sluice/runtime";
import {
  badAccount,
  directDebit,
  dropConnection,
  goodAccount,
  refuse,
  reportMade,
  reportNotMade,
  reportPending,
  acknowledge,
  staySilent,
  uetrFrom,
} from "@sluice/testkit";
import type { JsonObject, ScriptRule } from "@sluice/testkit";

export interface PlannedDebit {
  readonly bank: string;
  readonly sendAtMs: number;
  readonly message: JsonObject;
}

export interface Scenario {
  readonly debits: readonly PlannedDebit[];
  readonly scripts: ReadonlyMap<string, readonly ScriptRule[]>;
  /** Probability that a process dies at a side of one port call. */
  readonly crashPerCall: number;
  /** Probability that a process is cut off and frozen between a port call's effect and its answer. */
  readonly freezePerCall: number;
  /** Probability that a produce is refused, or written with its answer lost. */
  readonly produceTrouble: number;
  /** Probability of trouble in a store call. */
  readonly storeTrouble: number;
  /** Probability that the answer of a bank, or of ingress, is lost on the way. */
  readonly lostAnswer: number;
  readonly rebalancesMax: number;
  /** Processes cut off from the log, one after the other, some of them for longer than their session. */
  readonly cutsMax: number;
  /** Instances of each service. */
  readonly instances: number;
  readonly skewMaxMs: number;
}

export const bankIds = ["first", "second"] as const;
export const branches: Readonly<Record<(typeof bankIds)[number], string>> = { first: "250655", second: "251345" };

/** Even seeds are calm (latencies and order vary), odd ones are not. */
export function scenarioOf(seed: number, random: Random, postFromMs: number, postUntilMs: number): Scenario {
  const isCalm = seed % 2 === 0;
  const debits: PlannedDebit[] = [];
  const scripts = new Map<string, ScriptRule[]>(bankIds.map((bank) => [bank, generalRules(random)]));
  const debitCount = 6 + Math.floor(random.fraction() * 10);
  for (let number = 0; number < debitCount; number += 1) {
    const bank = bankIds[Math.floor(random.fraction() * bankIds.length)] ?? "first";
    const uetr = uetrFrom(random);
    const draw = random.fraction();
    const isBad = random.fraction() < 0.15;
    const message = directDebit({
      uetr: draw < 0.05 ? uetr.toUpperCase() : uetr,
      messageIdentification: draw > 0.95 ? "FILE-1" : `M-${seed}-${number}`,
      amount: (1 + Math.floor(random.fraction() * 100_000) / 100).toFixed(2),
      debtorBranch: branches[bank],
      debtorAccount: isBad ? badAccount(number) : goodAccount(number),
      creditorAccount: goodAccount(1_000 + number),
    });
    const sendAtMs = postFromMs + random.fraction() * (postUntilMs - postFromMs);
    debits.push({ bank, sendAtMs, message });
    scripts.get(bank)?.push(...rulesOf(uetr, isBad, random));
    debits.push(...moreOf(bank, message, sendAtMs, random));
  }
  const share = (most: number): number => (isCalm ? 0 : random.fraction() * most);
  return {
    debits,
    scripts,
    crashPerCall: share(0.015),
    freezePerCall: share(0.004),
    produceTrouble: share(0.05),
    storeTrouble: share(0.03),
    lostAnswer: share(0.1),
    rebalancesMax: Math.floor(share(4)),
    cutsMax: Math.floor(share(5)),
    instances: 1 + Math.floor(random.fraction() * 2),
    skewMaxMs: share(900),
  };
}

/** Repeats, conflicts and refused duplicates of a message. */
function moreOf(bank: string, message: JsonObject, sendAtMs: number, random: Random): readonly PlannedDebit[] {
  const draw = random.fraction();
  const laterMs = sendAtMs + random.fraction() * 20_000;
  if (draw < 0.1) return [{ bank, sendAtMs: laterMs, message }];
  const identifiers = message["messageIdentifiers"] as JsonObject;
  const renamed = {
    ...message,
    messageIdentifiers: { ...identifiers, messageIdentification: `AGAIN-${Math.floor(random.fraction() * 1e6)}` },
  };
  if (draw < 0.15) return [{ bank, sendAtMs: laterMs, message: renamed }];
  if (draw < 0.2) return [{ bank, sendAtMs: laterMs, message: { ...renamed, sequenceType: "OOFF" } }];
  if (draw < 0.25) return [{ bank, sendAtMs: laterMs, message: { ...message, sequenceType: "OOFF" } }];
  return [];
}

function generalRules(random: Random): ScriptRule[] {
  if (random.fraction() < 0.7) return [];
  return [{ operation: "events", attempts: [1, 1 + Math.floor(random.fraction() * 2)], answer: refuse(503) }];
}

function rulesOf(uetr: string, isBad: boolean, random: Random): readonly ScriptRule[] {
  const draw = random.fraction();
  const attempts: readonly [number, number] = [1, 1 + Math.floor(random.fraction() * 3)];
  if (draw < 0.1) return [{ uetr, operation: "outboundDirectDebitResponse", attempts, answer: refuse(503) }];
  // Silence to a rejection ends with the next day's close only, beyond this run.
  if (draw < 0.15) return isBad ? [] : [{ uetr, operation: "outboundDirectDebitResponse", answer: staySilent }];
  if (draw < 0.25) return [{ uetr, operation: "inboundDirectDebit", attempts, answer: refuse(500), isActedOn: random.fraction() < 0.5 }];
  if (draw < 0.3) return [{ uetr, operation: "inboundDirectDebit", answer: staySilent }];
  if (draw < 0.35) return [{ uetr, operation: "inboundDirectDebit", answer: refuse(400) }];
  if (draw < 0.4) return [{ uetr, operation: "inboundDirectDebit", attempts: [1, 1], answer: dropConnection, isActedOn: true }];
  if (draw < 0.5) return [{ uetr, reports: [reportNotMade({ afterMs: 200, jitterMs: 2_000 })] }];
  if (draw < 0.55) return [{ uetr, reports: [] }];
  if (draw < 0.6) return [{ uetr, reports: [reportMade({ copies: 2, jitterMs: 500 })] }];
  if (draw < 0.65) return [{ uetr, reports: [reportPending(), reportMade({ afterMs: 1_000, jitterMs: 2_000 })] }];
  if (draw < 0.7) return [{ uetr, reports: [reportMade(), reportNotMade({ afterMs: 3_000 })] }];
  if (draw < 0.8) return [{ uetr, answer: acknowledge({ afterMs: 50, jitterMs: 3_000 }) }];
  return [];
}
