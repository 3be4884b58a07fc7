// Draws the messages of a simulated day: debits and credits, their repeats, and how banks and connector treat them.

import type { Random } from "@sluice/kernel";
import {
  acknowledge,
  buildCreditTransfer,
  buildDirectDebit,
  buildOffUsDebit,
  drawUetr,
  dropConnection,
  invalidAccount,
  type MessageObject,
  refuse,
  reportPending,
  reportRejected,
  reportSettled,
  type ScriptRule,
  staySilent,
  validAccount,
} from "@sluice/testkit";

export interface ScenarioMessage {
  /** The bank or connector that sends it. */
  readonly party: string;
  readonly what: "debit" | "off-us debit" | "credit" | "credits final";
  readonly sendAtMs: number;
  readonly message: MessageObject;
}

export const simulatedConnectorId = "clearing";
export const simulatedBankIds = ["first", "second"] as const;
export const simulatedBranches: Readonly<Record<(typeof simulatedBankIds)[number], string>> = { first: "250655", second: "251345" };

interface DrawnMessages {
  readonly messages: readonly ScenarioMessage[];
  /** What is added to the behaviour of each party. */
  readonly rules: readonly (readonly [string, readonly ScriptRule[]])[];
}

/** When messages are sent, in milliseconds from the start of the run; the label makes their identifications unique. */
interface Posting {
  readonly label: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Draws debits of the banks, then off-us debits and credits of the connector. */
export function drawMessages(random: Random, posting: Posting): DrawnMessages {
  const { label, fromMs, untilMs } = posting;
  const messages: ScenarioMessage[] = [];
  const rules: [string, readonly ScriptRule[]][] = [];
  const debitCount = 6 + Math.floor(random.fraction() * 10);
  for (let number = 0; number < debitCount; number += 1) {
    const bank = simulatedBankIds[Math.floor(random.fraction() * simulatedBankIds.length)] ?? "first";
    const uetr = drawUetr(random);
    const draw = random.fraction();
    const isBad = random.fraction() < 0.15;
    const message = buildDirectDebit({
      uetr: draw < 0.05 ? uetr.toUpperCase() : uetr,
      messageIdentification: draw > 0.95 ? "FILE-1" : `M-${label}-${number}`,
      amount: (1 + Math.floor(random.fraction() * 100_000) / 100).toFixed(2),
      debtorBranch: simulatedBranches[bank],
      debtorAccount: isBad ? invalidAccount(number) : validAccount(number),
      creditorAccount: validAccount(1_000 + number),
    });
    const sendAtMs = fromMs + random.fraction() * (untilMs - fromMs);
    messages.push({ party: bank, what: "debit", sendAtMs, message });
    rules.push([bank, drawDebitRules(uetr, isBad, random)]);
    messages.push(...drawRepeats({ party: bank, what: "debit", sendAtMs, message }, random));
  }
  for (const planned of drawConnectorMessages(random, posting)) {
    messages.push(planned.sent, ...drawRepeats(planned.sent, random));
    rules.push([planned.bank, planned.rules], [simulatedConnectorId, drawConnectorRules(random)]);
  }
  return { messages, rules };
}

/**
 * Draws debits that ingress refuses, because their debtor's bank is not the sender. Some are of a UETR that another
 * debit of the day has.
 */
export function drawRefused(random: Random, { label, fromMs, untilMs }: Posting, uetrs: readonly string[]): readonly ScenarioMessage[] {
  return Array.from({ length: Math.floor(random.fraction() * 3) }, (_, number) => {
    const known = random.fraction() < 0.5 ? uetrs[Math.floor(random.fraction() * uetrs.length)] : undefined;
    const message = buildDirectDebit({
      uetr: known ?? drawUetr(random),
      messageIdentification: `R-${label}-${number}`,
      amount: "10.00",
      debtorBranch: simulatedBranches.second,
      debtorAccount: validAccount(number),
    });
    return { party: "first", what: "debit", sendAtMs: fromMs + random.fraction() * (untilMs - fromMs), message };
  });
}

export function readUetr(message: MessageObject): readonly string[] {
  const identifiers = message["transactionIdentifiers"];
  const uetr = typeof identifiers === "object" && identifiers !== null && "uetr" in identifiers ? identifiers.uetr : null;
  return typeof uetr === "string" ? [uetr.toLowerCase()] : [];
}

interface ConnectorMessage {
  readonly bank: string;
  readonly sent: ScenarioMessage;
  readonly rules: readonly ScriptRule[];
}

/** Draws off-us debits and credits. */
function drawConnectorMessages(random: Random, { label, fromMs, untilMs }: Posting): readonly ConnectorMessage[] {
  return Array.from({ length: 3 + Math.floor(random.fraction() * 8) }, (_, number) => {
    const bank = simulatedBankIds[Math.floor(random.fraction() * simulatedBankIds.length)] ?? "first";
    const uetr = drawUetr(random);
    const isBad = random.fraction() < 0.15;
    const account = isBad ? invalidAccount(number) : validAccount(2_000 + number);
    const amount = (1 + Math.floor(random.fraction() * 100_000) / 100).toFixed(2);
    const common = { uetr, messageIdentification: `C-${label}-${number}`, amount };
    const isCredit = random.fraction() < 0.6;
    const message = isCredit
      ? buildCreditTransfer({ ...common, creditorBranch: simulatedBranches[bank], creditorAccount: account })
      : buildOffUsDebit({ ...common, debtorBranch: simulatedBranches[bank], debtorAccount: account });
    const sendAtMs = fromMs + random.fraction() * (untilMs - fromMs);
    const what = isCredit ? "credit" : "off-us debit";
    return {
      bank,
      sent: { party: simulatedConnectorId, what, sendAtMs, message },
      rules: isCredit ? drawCreditRules(uetr, random) : drawDebitRules(uetr, isBad, random),
    };
  });
}

export function drawDeclaration(sendAtMs: number, businessDate: string): ScenarioMessage {
  return { party: simulatedConnectorId, what: "credits final", sendAtMs, message: { businessDate } };
}

/** Draws the connector's faults. It acknowledges every outcome report in the end. */
function drawConnectorRules(random: Random): readonly ScriptRule[] {
  const attempts: readonly [number, number] = [1, 1 + Math.floor(random.fraction() * 2)];
  if (random.fraction() < 0.2) return [{ operation: "inboundDirectDebitResponse", attempts, answer: refuse(503) }];
  return random.fraction() < 0.2 ? [{ operation: "inboundCreditTransferAuthorizationResponse", attempts, answer: refuse(500) }] : [];
}

/**
 * Draws how a bank treats a credit: it answers late, never before the deadline, with a final refusal, or with an answer
 * that leaves open what it did.
 */
function drawCreditRules(uetr: string, random: Random): readonly ScriptRule[] {
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
  if (draw < 0.4) return [{ uetr, reports: [reportRejected({ afterMs: 200, jitterMs: 2_000 })] }];
  if (draw < 0.47) return [{ uetr, reports: [] }];
  if (draw < 0.54) return [{ uetr, reports: [reportPending(), reportSettled({ afterMs: 1_000, jitterMs: 4_000 })] }];
  if (draw < 0.6) return [{ uetr, reports: [reportSettled(), reportRejected({ afterMs: 3_000 })] }];
  if (draw < 0.75)
    return [{ uetr, answer: acknowledge({ afterMs: 50, jitterMs: 3_000 }), reports: [reportSettled({ afterMs: 100, jitterMs: 20_000 })] }];
  return [];
}

/** Draws repeats, conflicts and refused duplicates of a message. */
function drawRepeats(planned: ScenarioMessage, random: Random): readonly ScenarioMessage[] {
  const { message } = planned;
  const draw = random.fraction();
  const sendAtMs = planned.sendAtMs + random.fraction() * 20_000;
  const again = (changed: MessageObject): readonly ScenarioMessage[] => [{ ...planned, sendAtMs, message: changed }];
  if (draw < 0.1) return again(message);
  const identifiers = message["messageIdentifiers"] as MessageObject;
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

export function drawEventRules(random: Random): ScriptRule[] {
  if (random.fraction() < 0.7) return [];
  return [{ operation: "events", attempts: [1, 1 + Math.floor(random.fraction() * 2)], answer: refuse(503) }];
}

function drawDebitRules(uetr: string, isBad: boolean, random: Random): readonly ScriptRule[] {
  const draw = random.fraction();
  const attempts: readonly [number, number] = [1, 1 + Math.floor(random.fraction() * 3)];
  if (draw < 0.1) return [{ uetr, operation: "outboundDirectDebitResponse", attempts, answer: refuse(503) }];
  // An unanswered rejection would end only with the next day's close, after this run.
  if (draw < 0.15) return isBad ? [] : [{ uetr, operation: "outboundDirectDebitResponse", answer: staySilent }];
  if (draw < 0.25) return [{ uetr, operation: "inboundDirectDebit", attempts, answer: refuse(500), isActedOn: random.fraction() < 0.5 }];
  if (draw < 0.3) return [{ uetr, operation: "inboundDirectDebit", answer: staySilent }];
  if (draw < 0.35) return [{ uetr, operation: "inboundDirectDebit", answer: refuse(400) }];
  if (draw < 0.4) return [{ uetr, operation: "inboundDirectDebit", attempts: [1, 1], answer: dropConnection, isActedOn: true }];
  if (draw < 0.5) return [{ uetr, reports: [reportRejected({ afterMs: 200, jitterMs: 2_000 })] }];
  if (draw < 0.55) return [{ uetr, reports: [] }];
  if (draw < 0.6) return [{ uetr, reports: [reportSettled({ copies: 2, jitterMs: 500 })] }];
  if (draw < 0.65) return [{ uetr, reports: [reportPending(), reportSettled({ afterMs: 1_000, jitterMs: 2_000 })] }];
  if (draw < 0.7) return [{ uetr, reports: [reportSettled(), reportRejected({ afterMs: 3_000 })] }];
  if (draw < 0.8) return [{ uetr, answer: acknowledge({ afterMs: 50, jitterMs: 3_000 }) }];
  return [];
}
