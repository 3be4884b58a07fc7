// What a simulated day holds, drawn from its seed: debits and credits, what banks and connector do with them, and how much goes wrong.

import type { Random } from "@sluice/runtime";
import {
  badAccount,
  creditTransfer,
  directDebit,
  dropConnection,
  goodAccount,
  offUsDebit,
  refuse,
  reportMade,
  reportNotMade,
  reportPending,
  seededRandom,
  acknowledge,
  staySilent,
  uetrFrom,
} from "@sluice/testkit";
import type { JsonObject, ScriptRule } from "@sluice/testkit";
import { drawActions } from "./operators.ts";
import type { PlannedAction } from "./operators.ts";

export interface PlannedMessage {
  /** Bank or connector that sends it. */
  readonly party: string;
  readonly what: "debit" | "off-us debit" | "credit" | "credits final";
  readonly sendAtMs: number;
  readonly message: JsonObject;
}

export interface Scenario {
  readonly messages: readonly PlannedMessage[];
  readonly creditsFinal: "clock" | "connector";
  /** Of which bank gets events of class ESM_STATE too; null: none does. */
  readonly esmBank: string | null;
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
  /** What becomes of a debit that misses its window. */
  readonly onMissedWindow: "reconcile" | "roll";
  /** What people do. */
  readonly actions: readonly PlannedAction[];
  /** Services that are not there. */
  readonly away: readonly ("validator" | "dispatcher")[];
  /** When ingress is not reached, and when the log takes nothing: from and until, from the start of the run. */
  readonly ingressAwayMs: readonly [number, number] | null;
  readonly brokerAwayMs: readonly [number, number] | null;
  /** Debits of a bank that may be out. */
  readonly maxUnacknowledged: number;
  /** The reconciliation close, local time, and when the day is looked at first, from the start of the run. */
  readonly reconciliation: string;
  readonly firstLookMs: number;
}

/** The day of which a scenario is drawn, from the start of the run. */
export interface DayTimes {
  readonly postFromMs: number;
  readonly postUntilMs: number;
  readonly opensMs: number;
  readonly closesMs: number;
  readonly reconcilesMs: number;
  readonly healMs: number;
}

export const connectorId = "clearing";
export const bankIds = ["first", "second"] as const;
export const branches: Readonly<Record<(typeof bankIds)[number], string>> = { first: "250655", second: "251345" };

/** Nothing goes wrong, and nothing is drawn. */
export const calmScenario: Scenario = {
  messages: [],
  creditsFinal: "clock",
  esmBank: null,
  scripts: new Map(),
  crashPerCall: 0,
  freezePerCall: 0,
  produceTrouble: 0,
  storeTrouble: 0,
  lostAnswer: 0,
  rebalancesMax: 0,
  cutsMax: 0,
  instances: 1,
  skewMaxMs: 0,
  onMissedWindow: "reconcile",
  actions: [],
  away: [],
  ingressAwayMs: null,
  brokerAwayMs: null,
  maxUnacknowledged: 256,
  reconciliation: "12:01:20",
  firstLookMs: 140_000,
};

/** Even seeds are calm (latencies and order vary), odd ones are not. */
export function scenarioOf(seed: number, random: Random, day: DayTimes): Scenario {
  const { postFromMs, postUntilMs, opensMs } = day;
  const isCalm = seed % 2 === 0;
  const messages: PlannedMessage[] = [];
  const scripts = new Map<string, ScriptRule[]>([...bankIds, connectorId].map((party) => [party, generalRules(random)]));
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
    messages.push({ party: bank, what: "debit", sendAtMs, message });
    scripts.get(bank)?.push(...rulesOf(uetr, isBad, random));
    messages.push(...moreOf({ party: bank, what: "debit", sendAtMs, message }, random));
  }
  for (const planned of fromElsewhere(seed, random, postFromMs, postUntilMs)) {
    messages.push(planned.sent, ...moreOf(planned.sent, random));
    scripts.get(planned.bank)?.push(...planned.rules);
    scripts.get(connectorId)?.push(...connectorRules(random));
  }
  const creditsFinal = random.fraction() < 0.6 ? "connector" : "clock";
  if (creditsFinal === "connector" && random.fraction() < 0.9) messages.push(declaration(random, opensMs));
  const share = (most: number): number => (isCalm ? 0 : random.fraction() * most);
  return {
    ...calmScenario,
    messages,
    creditsFinal,
    esmBank: random.fraction() < 0.4 ? "first" : null,
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
    onMissedWindow: random.fraction() < 0.3 ? "roll" : "reconcile",
    actions: drawActions(seededRandom(`operators ${seed}`), {
      ...day,
      banks: bankIds,
      uetrs: messages.flatMap(({ message }) => uetrIn(message)),
    }),
  };
}

function uetrIn(message: JsonObject): readonly string[] {
  const identifiers = message["transactionIdentifiers"];
  const uetr = typeof identifiers === "object" && identifiers !== null && "uetr" in identifiers ? identifiers.uetr : null;
  return typeof uetr === "string" ? [uetr.toLowerCase()] : [];
}

interface FromElsewhere {
  readonly bank: string;
  readonly sent: PlannedMessage;
  readonly rules: readonly ScriptRule[];
}

/** Off-us debits and credits. */
function fromElsewhere(seed: number, random: Random, postFromMs: number, postUntilMs: number): readonly FromElsewhere[] {
  return Array.from({ length: 3 + Math.floor(random.fraction() * 8) }, (_, number) => {
    const bank = bankIds[Math.floor(random.fraction() * bankIds.length)] ?? "first";
    const uetr = uetrFrom(random);
    const isBad = random.fraction() < 0.15;
    const account = isBad ? badAccount(number) : goodAccount(2_000 + number);
    const amount = (1 + Math.floor(random.fraction() * 100_000) / 100).toFixed(2);
    const common = { uetr, messageIdentification: `C-${seed}-${number}`, amount };
    const isCredit = random.fraction() < 0.6;
    const message = isCredit
      ? creditTransfer({ ...common, creditorBranch: branches[bank], creditorAccount: account })
      : offUsDebit({ ...common, debtorBranch: branches[bank], debtorAccount: account });
    const sendAtMs = postFromMs + random.fraction() * (postUntilMs - postFromMs);
    const what = isCredit ? "credit" : "off-us debit";
    return {
      bank,
      sent: { party: connectorId, what, sendAtMs, message },
      rules: isCredit ? creditRulesOf(uetr, random) : rulesOf(uetr, isBad, random),
    };
  });
}

function declaration(random: Random, opensMs: number): PlannedMessage {
  const sendAtMs = opensMs - 5_000 + random.fraction() * 15_000;
  return { party: connectorId, what: "credits final", sendAtMs, message: {} };
}

/** The connector acknowledges in the end whatever it is told. */
function connectorRules(random: Random): readonly ScriptRule[] {
  const attempts: readonly [number, number] = [1, 1 + Math.floor(random.fraction() * 2)];
  if (random.fraction() < 0.2) return [{ operation: "inboundDirectDebitResponse", attempts, answer: refuse(503) }];
  return random.fraction() < 0.2 ? [{ operation: "inboundCreditTransferAuthorizationResponse", attempts, answer: refuse(500) }] : [];
}

/** The bank of a credit: late, silent until the deadline, refusing for good, or with an answer that leaves open what it did. */
function creditRulesOf(uetr: string, random: Random): readonly ScriptRule[] {
  const draw = random.fraction();
  const operation = "inboundCreditTransferAuthorization";
  const attempts: readonly [number, number] = [1, 1 + Math.floor(random.fraction() * 3)];
  if (draw < 0.1) return [{ uetr, operation, attempts, answer: refuse(503), isActedOn: random.fraction() < 0.5 }];
  if (draw < 0.17) return [{ uetr, operation, answer: staySilent }];
  if (draw < 0.24) return [{ uetr, operation, answer: refuse(400) }];
  if (draw < 0.3)
    return [
      { uetr, operation, attempts: [1, 1], answer: dropConnection, isActedOn: true },
      { uetr, operation, answer: refuse(400) },
    ];
  if (draw < 0.4) return [{ uetr, reports: [reportNotMade({ afterMs: 200, jitterMs: 2_000 })] }];
  if (draw < 0.47) return [{ uetr, reports: [] }];
  if (draw < 0.54) return [{ uetr, reports: [reportPending(), reportMade({ afterMs: 1_000, jitterMs: 4_000 })] }];
  if (draw < 0.6) return [{ uetr, reports: [reportMade(), reportNotMade({ afterMs: 3_000 })] }];
  if (draw < 0.75)
    return [{ uetr, answer: acknowledge({ afterMs: 50, jitterMs: 3_000 }), reports: [reportMade({ afterMs: 100, jitterMs: 20_000 })] }];
  return [];
}

/** Repeats, conflicts and refused duplicates of a message. */
function moreOf(planned: PlannedMessage, random: Random): readonly PlannedMessage[] {
  const { message } = planned;
  const draw = random.fraction();
  const sendAtMs = planned.sendAtMs + random.fraction() * 20_000;
  const again = (changed: JsonObject): readonly PlannedMessage[] => [{ ...planned, sendAtMs, message: changed }];
  if (draw < 0.1) return again(message);
  const identifiers = message["messageIdentifiers"] as JsonObject;
  const renamed = {
    ...message,
    messageIdentifiers: { ...identifiers, messageIdentification: `AGAIN-${Math.floor(random.fraction() * 1e6)}` },
  };
  const other = { purpose: { schema: "CODE", value: "OTHR" } };
  if (draw < 0.15) return again(renamed);
  if (draw < 0.2) return again({ ...renamed, ...other });
  if (draw < 0.25) return again({ ...message, ...other });
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
