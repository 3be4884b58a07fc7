// Every row of section 7 and every cause of the reconciliation list, from a bank's or a connector's message to the item, through all services,
// under a virtual clock. The checker finds nothing wrong in any of these days.

import { checkHistory } from "@sluice/checker";
import type { SnapshotEntry } from "@sluice/checker";
import {
  acknowledge,
  badAccount,
  creditTransfer,
  directDebit,
  goodAccount,
  offUsDebit,
  refuse,
  reportMade,
  reportPending,
  staySilent,
} from "@sluice/testkit";
import type { JsonObject, ScriptRule } from "@sluice/testkit";
import { expect, test } from "vitest";
import type { PlannedAction } from "./operators.ts";
import { branches, calmScenario, connectorId } from "./scenario.ts";
import type { PlannedMessage, Scenario } from "./scenario.ts";
import { dayTimes, play } from "./world.ts";

const uetr = "0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60";
const creditUetr = "0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f61";
const { postFromMs, opensMs, closesMs, reconcilesMs, healMs } = dayTimes;
const debit: PlannedMessage = { party: "first", what: "debit", sendAtMs: postFromMs, message: debitMessage(uetr) };
const offUs: PlannedMessage = { party: connectorId, what: "off-us debit", sendAtMs: postFromMs, message: offUsMessage() };
const credit: PlannedMessage = { party: connectorId, what: "credit", sendAtMs: postFromMs, message: creditMessage(creditUetr) };

function debitMessage(of: string, account = goodAccount(1)): JsonObject {
  const amount = "1250.50";
  return directDebit({
    uetr: of,
    messageIdentification: `M-${of.slice(-4)}`,
    amount,
    debtorBranch: branches.first,
    debtorAccount: account,
  });
}

function offUsMessage(): JsonObject {
  return offUsDebit({ uetr, messageIdentification: "C-1", amount: "75.00", debtorBranch: branches.first, debtorAccount: goodAccount(2) });
}

function creditMessage(of: string): JsonObject {
  return creditTransfer({
    uetr: of,
    messageIdentification: "C-2",
    amount: "19.90",
    creditorBranch: branches.first,
    creditorAccount: goodAccount(3),
  });
}

/** What the banks and the connector do beside what good ones do. */
function scripted(...rules: readonly ScriptRule[]): Scenario["scripts"] {
  return new Map([
    ["first", rules],
    [connectorId, rules],
  ]);
}

interface Case {
  readonly messages: readonly PlannedMessage[];
  readonly over?: Partial<Scenario>;
}

async function dayOf({ messages, over = {} }: Case): Promise<{ readonly entry: SnapshotEntry; readonly wrong: readonly string[] }> {
  const end = await play(1, { ...calmScenario, ...over, messages });
  const { violations } = checkHistory(end.history, { queueToleranceMs: 10_000 });
  const known = [uetr, creditUetr];
  const entry = end.history.find(
    (one): one is SnapshotEntry => one.kind === "snapshot" && known.includes(one.uetr) && one.uetr === wantedOf(messages),
  );
  if (entry === undefined) throw new Error("nothing is known of it");
  return { entry, wrong: [...end.undocumented, ...violations.map(({ promise, text }) => `${promise} ${text}`)] };
}

/** The first message is the one that is looked at. */
function wantedOf([first]: readonly PlannedMessage[]): string {
  return first?.what === "credit" ? creditUetr : uetr;
}

function itemsOf({ items }: SnapshotEntry): readonly string[] {
  return items.filter(({ settledAtMs }) => settledAtMs === null).map(({ row, cause, state }) => `${row} ${cause ?? "-"} ${state}`);
}

const pausedFromOpening: readonly PlannedAction[] = [
  { kind: "pause", atMs: opensMs - 2_000, bank: "first" },
  { kind: "resume", atMs: healMs, bank: "first" },
];
/** A debit without a verdict closes with the first close an hour or more after its receipt. */
const closesAfterAnHour = { reconciliation: "13:10:00", firstLookMs: 4_300_000 } as const;
const silentDebit: ScriptRule = { operation: "inboundDirectDebit", answer: staySilent };
const silentCredit: ScriptRule = { operation: "inboundCreditTransferAuthorization", answer: staySilent };

test.each<readonly [string, string, Case]>([
  [
    "row 3: the bank refuses the debit for good",
    "3 - RELEASED",
    { messages: [debit], over: { scripts: scripted({ operation: "inboundDirectDebit", answer: refuse(400) }) } },
  ],
  [
    "row 3: the bank refuses the report for good",
    "3 - ACCEPTED",
    { messages: [debit], over: { scripts: scripted({ operation: "outboundDirectDebitResponse", answer: refuse(422) }) } },
  ],
  ["row 4: no verdict before the close", "4 - RECEIVED", { messages: [debit], over: { away: ["validator"], ...closesAfterAnHour } }],
  [
    "row 5: the report is not acknowledged, by silence",
    "5 - ACCEPTED",
    { messages: [debit], over: { scripts: scripted({ operation: "outboundDirectDebitResponse", answer: staySilent }) } },
  ],
  [
    "row 5: the report is not acknowledged, by 503",
    "5 - ACCEPTED",
    { messages: [debit], over: { scripts: scripted({ operation: "outboundDirectDebitResponse", answer: refuse(503) }) } },
  ],
  ["row 7: the bank never answers the debit", "7 - RELEASED", { messages: [debit], over: { scripts: scripted(silentDebit) } }],
  [
    "row 8: the bank answers the debit with 503 alone",
    "8 - RELEASED",
    { messages: [debit], over: { scripts: scripted({ operation: "inboundDirectDebit", answer: refuse(503) }) } },
  ],
  ["row 9: the bank never reports", "9 - DELIVERED", { messages: [debit], over: { scripts: scripted({ reports: [] }) } }],
  [
    "row 9, PDNG: the bank reports that it is still working",
    "9 PDNG DELIVERED",
    { messages: [debit], over: { scripts: scripted({ reports: [reportPending()] }) } },
  ],
  [
    "row 7, BANK_PAUSED: the bank is paused after the release",
    "7 BANK_PAUSED RELEASED",
    {
      messages: [debit],
      over: {
        scripts: scripted(silentDebit),
        actions: [
          { kind: "pause", atMs: opensMs + 8_000, bank: "first" },
          { kind: "resume", atMs: healMs, bank: "first" },
        ],
      },
    },
  ],
  [
    "row 0, GATE_CLOSED: nobody declares the credits final",
    "0 GATE_CLOSED HELD",
    { messages: [debit], over: { creditsFinal: "connector" } },
  ],
  [
    "row 0, GATE_CLOSED: a credit to the bank is unresolved",
    "0 GATE_CLOSED HELD",
    { messages: [debit, credit], over: { scripts: scripted(silentCredit) } },
  ],
  [
    "row 0, WINDOW_MISSED: the report is acknowledged after the window",
    "0 WINDOW_MISSED HELD",
    {
      messages: [debit],
      over: {
        actions: [
          { kind: "pause", atMs: postFromMs - 3_000, bank: "first" },
          { kind: "resume", atMs: closesMs + 4_000, bank: "first" },
        ],
      },
    },
  ],
  [
    "row 0, BANK_PAUSED: the bank is paused for the whole window",
    "0 BANK_PAUSED HELD",
    { messages: [debit], over: { actions: pausedFromOpening } },
  ],
  [
    "row 0, WITHDRAWN: an operator withdraws a held debit",
    "0 WITHDRAWN HELD",
    { messages: [debit], over: { actions: [{ kind: "withdraw", atMs: opensMs - 5_000, uetr }] } },
  ],
  [
    "row 0, WITHDRAWN: an operator withdraws an accepted debit",
    "0 WITHDRAWN ACCEPTED",
    {
      messages: [debit],
      over: {
        scripts: scripted({ operation: "outboundDirectDebitResponse", answer: staySilent }),
        actions: [{ kind: "withdraw", atMs: opensMs - 5_000, uetr }],
      },
    },
  ],
  [
    "row 5, OUTCOME_UNDELIVERED: the connector does not take the outcome",
    "5 OUTCOME_UNDELIVERED COMPLETED",
    {
      messages: [offUs],
      over: {
        scripts: scripted({ operation: "inboundDirectDebitResponse", betweenMs: [0, Date.UTC(2026, 10, 20, 12)], answer: refuse(503) }),
      },
    },
  ],
  [
    "row 7: the bank never answers the debit from elsewhere",
    "7 - RELEASED",
    { messages: [offUs], over: { scripts: scripted(silentDebit) } },
  ],
  [
    "row 7: the bank never answers the credit",
    "7 - CREDIT_AUTH_DELIVERY_PENDING",
    { messages: [credit], over: { scripts: scripted(silentCredit) } },
  ],
  [
    "row 8: the bank answers the credit with 503 alone",
    "8 - CREDIT_AUTH_DELIVERY_PENDING",
    { messages: [credit], over: { scripts: scripted({ operation: "inboundCreditTransferAuthorization", answer: refuse(503) }) } },
  ],
  [
    "row 9: the bank never reports on the credit",
    "9 - CREDIT_AUTH_DELIVERED",
    { messages: [credit], over: { scripts: scripted({ reports: [] }) } },
  ],
  [
    "row 4: no verdict on the credit before its deadline",
    "4 - CREDIT_AUTH_RECEIVED",
    { messages: [credit], over: { away: ["validator"] } },
  ],
])("I10, %s", async (_what, item, given) => {
  const { entry, wrong } = await dayOf(given);
  expect({ items: itemsOf(entry), wrong }).toEqual({ items: [item], wrong: [] });
  expect(["RECONCILIATION", "CREDIT_AUTH_RECONCILIATION", "COMPLETED"]).toContain(entry.state);
});

test("I10, row 0, PACED_OUT: its turn does not come before the window closes", async () => {
  const others = Array.from({ length: 12 }, (_, number): PlannedMessage => {
    const of = `0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f${(16 + number).toString(16)}`;
    return { ...debit, message: debitMessage(of), sendAtMs: postFromMs - 2_000 };
  });
  const end = await play(1, { ...calmScenario, maxUnacknowledged: 1, scripts: scripted(silentDebit), messages: [...others, debit] });
  const causes = end.history.flatMap((entry) => (entry.kind === "snapshot" ? entry.items.map(({ row, cause }) => `${row} ${cause}`) : []));
  expect(causes).toContain("0 PACED_OUT");
  expect(checkHistory(end.history, { queueToleranceMs: 10_000 }).violations).toEqual([]);
});

test.each<readonly [string, Case]>([
  ["row 1: ingress is not reached when the bank sends", { messages: [debit], over: { ingressAwayMs: [0, postFromMs + 2_500] } }],
  [
    "row 2: ingress answers 503 when the bank sends",
    { messages: [debit], over: { brokerAwayMs: [postFromMs - 1_000, postFromMs + 3_000] } },
  ],
  [
    "row 10: ingress is not reached when the bank reports",
    {
      messages: [debit],
      over: { scripts: scripted({ reports: [reportMade({ afterMs: 5_000 })] }), ingressAwayMs: [opensMs + 4_000, opensMs + 7_500] },
    },
  ],
  ["row 6: the account is wrong, and the bank takes the report", { messages: [{ ...debit, message: debitMessage(uetr, badAccount(1)) }] }],
  [
    "an outcome that the connector takes late, but before the close",
    { messages: [offUs], over: { scripts: scripted({ operation: "inboundDirectDebitResponse", attempts: [1, 3], answer: refuse(503) }) } },
  ],
  ["a bank that answers late", { messages: [debit], over: { scripts: scripted({ answer: acknowledge({ afterMs: 3_000 }) }) } }],
])("%s: no item is made", async (_what, given) => {
  const { entry, wrong } = await dayOf(given);
  expect({ items: entry.items, wrong }).toEqual({ items: [], wrong: [] });
  expect(["COMPLETED", "REJECTION_REPORTED"]).toContain(entry.state);
});

test("row 6: the corrected debit is a new transaction", async () => {
  const corrected: PlannedMessage = { ...debit, message: debitMessage(creditUetr), sendAtMs: postFromMs + 5_000 };
  const refused: PlannedMessage = { ...debit, message: debitMessage(uetr, badAccount(1)) };
  const end = await play(1, { ...calmScenario, messages: [refused, corrected] });
  const states = end.history.flatMap((entry) => (entry.kind === "snapshot" ? [`${entry.uetr} ${entry.state}`] : []));
  expect(states).toEqual([`${uetr} REJECTION_REPORTED`, `${creditUetr} COMPLETED`]);
});

test("a debit refused by mistake is redriven and ends before the close; its item is settled", async () => {
  const until = Date.UTC(2026, 10, 20, 10, 0, 40);
  const scripts = scripted({ operation: "inboundDirectDebit", betweenMs: [0, until], answer: refuse(400) });
  const { entry, wrong } = await dayOf({
    messages: [debit],
    over: { scripts, actions: [{ kind: "redrive", atMs: closesMs - 10_000, uetr }] },
  });
  expect({ state: entry.state, items: itemsOf(entry), wrong }).toEqual({ state: "COMPLETED", items: [], wrong: [] });
  expect(entry.items).toMatchObject([{ row: 3 }]);
});

test("items are resolved by people, and a connector is told once what they found", async () => {
  const over = {
    scripts: scripted(silentDebit),
    actions: [{ kind: "resolve all", atMs: reconcilesMs + 10_000 }],
  } satisfies Partial<Scenario>;
  const end = await play(1, { ...calmScenario, ...over, messages: [offUs] });
  const told = end.history.flatMap((entry) =>
    entry.kind === "received" && entry.operation === "inboundDirectDebitResponse" ? [entry.webhookId] : [],
  );
  expect(told).toEqual([`${uetr.replaceAll("-", "")}O1`]);
  expect(checkHistory(end.history).violations).toEqual([]);
});
