// Tests every row of docs/spec/interface.md, section 7, and every reason of the reconciliation list,
// from a bank's or a connector's message to
// the item, through all services under a virtual clock. The checker finds no violation in any of these days.

import { checkHistory, type SentEntry, type SnapshotEntry } from "@sluice/checker";
import {
  acknowledge,
  buildCreditTransfer,
  buildDirectDebit,
  buildOffUsDebit,
  invalidAccount,
  type MessageObject,
  refuse,
  reportPending,
  reportSettled,
  type ScriptRule,
  staySilent,
  validAccount,
} from "@sluice/testkit";
import { expect, test } from "vitest";
import type { PlannedAction } from "./operators.ts";
import { noon } from "./dates.ts";
import { type ScenarioMessage, simulatedBranches, simulatedConnectorId } from "./messages.ts";
import { calmScenario, type Scenario } from "./scenario.ts";
import { simulatedDayTimes, simulateScenario } from "./simulate.ts";

const uetr = "0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60";
const creditUetr = "0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f61";
const { postFromMs, opensMs, closesMs, reconcilesMs, healMs } = simulatedDayTimes;
const debit: ScenarioMessage = { party: "first", what: "debit", sendAtMs: postFromMs, message: debitMessage(uetr) };
const offUs: ScenarioMessage = { party: simulatedConnectorId, what: "off-us debit", sendAtMs: postFromMs, message: offUsMessage() };
const credit: ScenarioMessage = { party: simulatedConnectorId, what: "credit", sendAtMs: postFromMs, message: creditMessage(creditUetr) };

function debitMessage(of: string, account = validAccount(1)): MessageObject {
  const amount = "1250.50";
  return buildDirectDebit({
    uetr: of,
    messageIdentification: `M-${of.slice(-4)}`,
    amount,
    debtorBranch: simulatedBranches.first,
    debtorAccount: account,
  });
}

function offUsMessage(): MessageObject {
  return buildOffUsDebit({
    uetr,
    messageIdentification: "C-1",
    amount: "75.00",
    debtorBranch: simulatedBranches.first,
    debtorAccount: validAccount(2),
  });
}

function creditMessage(of: string): MessageObject {
  return buildCreditTransfer({
    uetr: of,
    messageIdentification: "C-2",
    amount: "19.90",
    creditorBranch: simulatedBranches.first,
    creditorAccount: validAccount(3),
  });
}

/** Adds rules to the behaviour of the banks and the connector. */
function scriptAll(...rules: readonly ScriptRule[]): Scenario["scripts"] {
  return new Map([
    ["first", rules],
    [simulatedConnectorId, rules],
  ]);
}

interface Case {
  readonly messages: readonly ScenarioMessage[];
  readonly over?: Partial<Scenario>;
}

async function playDay({ messages, over = {} }: Case): Promise<{ readonly entry: SnapshotEntry; readonly wrong: readonly string[] }> {
  const end = await simulateScenario(1, { ...calmScenario, ...over, messages });
  const { violations } = checkHistory(end.history, { queueToleranceMs: 10_000 });
  const known = [uetr, creditUetr];
  const entry = end.history.find(
    (one): one is SnapshotEntry => one.kind === "snapshot" && known.includes(one.uetr) && one.uetr === examinedUetr(messages),
  );
  if (entry === undefined) throw new Error("there is no snapshot of the transaction");
  return { entry, wrong: [...end.undocumented, ...violations.map(({ promise, text }) => `${promise} ${text}`)] };
}

/** Returns the UETR of the first message, which is the one that the test examines. */
function examinedUetr([first]: readonly ScenarioMessage[]): string {
  return first?.what === "credit" ? creditUetr : uetr;
}

function openItems({ items }: SnapshotEntry): readonly string[] {
  return items.filter(({ settledAtMs }) => settledAtMs === null).map(({ row, cause, state }) => `${row} ${cause ?? "-"} ${state}`);
}

const pausedFromOpening: readonly PlannedAction[] = [
  { kind: "pause", atMs: opensMs - 2_000, bank: "first" },
  { kind: "resume", atMs: healMs, bank: "first" },
];
/**
 * Settings for a debit without a verdict, whose deadline is the first close that is an hour or more after its receipt.
 */
const closesAfterAnHour = { dates: { ...noon, reconciliation: "13:10:00" }, firstLookMs: 4_300_000 } as const;
const silentDebit: ScriptRule = { operation: "inboundDirectDebit", answer: staySilent };
const silentCredit: ScriptRule = { operation: "inboundCreditTransferAuthorization", answer: staySilent };

test.each<readonly [string, string, Case]>([
  [
    "row 3: the bank refuses the debit for good",
    "3 - RELEASED",
    { messages: [debit], over: { scripts: scriptAll({ operation: "inboundDirectDebit", answer: refuse(400) }) } },
  ],
  [
    "row 3: the bank refuses the report for good",
    "3 - ACCEPTED",
    { messages: [debit], over: { scripts: scriptAll({ operation: "outboundDirectDebitResponse", answer: refuse(422) }) } },
  ],
  [
    "row 4: no verdict before the close",
    "4 - RECEIVED",
    { messages: [debit], over: { absentServices: ["validator"], ...closesAfterAnHour } },
  ],
  [
    "row 5: the report is not acknowledged, because the bank does not answer",
    "5 - ACCEPTED",
    { messages: [debit], over: { scripts: scriptAll({ operation: "outboundDirectDebitResponse", answer: staySilent }) } },
  ],
  [
    "row 5: the report is not acknowledged, because the bank answers 503",
    "5 - ACCEPTED",
    { messages: [debit], over: { scripts: scriptAll({ operation: "outboundDirectDebitResponse", answer: refuse(503) }) } },
  ],
  ["row 7: the bank never answers the debit", "7 - RELEASED", { messages: [debit], over: { scripts: scriptAll(silentDebit) } }],
  [
    "row 8: the bank answers the debit only with 503",
    "8 - RELEASED",
    { messages: [debit], over: { scripts: scriptAll({ operation: "inboundDirectDebit", answer: refuse(503) }) } },
  ],
  ["row 9: the bank never reports", "9 - DELIVERED", { messages: [debit], over: { scripts: scriptAll({ reports: [] }) } }],
  [
    "row 9, PDNG: the bank reports that it is still working",
    "9 PDNG DELIVERED",
    { messages: [debit], over: { scripts: scriptAll({ reports: [reportPending()] }) } },
  ],
  [
    "row 7, BANK_PAUSED: the bank is paused after the release",
    "7 BANK_PAUSED RELEASED",
    {
      messages: [debit],
      over: {
        scripts: scriptAll(silentDebit),
        actions: [
          { kind: "pause", atMs: opensMs + 8_000, bank: "first" },
          { kind: "resume", atMs: healMs, bank: "first" },
        ],
      },
    },
  ],
  [
    "row 0, GATE_CLOSED: the credits are not declared final",
    "0 GATE_CLOSED HELD",
    { messages: [debit], over: { creditsFinal: "connector" } },
  ],
  [
    "row 0, GATE_CLOSED: a credit to the bank is unresolved",
    "0 GATE_CLOSED HELD",
    { messages: [debit, credit], over: { scripts: scriptAll(silentCredit) } },
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
        scripts: scriptAll({ operation: "outboundDirectDebitResponse", answer: staySilent }),
        actions: [{ kind: "withdraw", atMs: opensMs - 5_000, uetr }],
      },
    },
  ],
  [
    "row 5, OUTCOME_UNDELIVERED: the connector does not acknowledge the outcome report",
    "5 OUTCOME_UNDELIVERED COMPLETED",
    {
      messages: [offUs],
      over: {
        scripts: scriptAll({ operation: "inboundDirectDebitResponse", betweenMs: [0, Date.UTC(2026, 10, 20, 12)], answer: refuse(503) }),
      },
    },
  ],
  ["row 7: the bank never answers the off-us debit", "7 - RELEASED", { messages: [offUs], over: { scripts: scriptAll(silentDebit) } }],
  [
    "row 7: the bank never answers the credit",
    "7 - CREDIT_AUTH_DELIVERY_PENDING",
    { messages: [credit], over: { scripts: scriptAll(silentCredit) } },
  ],
  [
    "row 8: the bank answers the credit only with 503",
    "8 - CREDIT_AUTH_DELIVERY_PENDING",
    { messages: [credit], over: { scripts: scriptAll({ operation: "inboundCreditTransferAuthorization", answer: refuse(503) }) } },
  ],
  [
    "row 9: the bank never reports on the credit",
    "9 - CREDIT_AUTH_DELIVERED",
    { messages: [credit], over: { scripts: scriptAll({ reports: [] }) } },
  ],
  [
    "row 4: no verdict on the credit before its deadline",
    "4 - CREDIT_AUTH_RECEIVED",
    { messages: [credit], over: { absentServices: ["validator"] } },
  ],
])("I10, %s", async (_what, item, testCase) => {
  const { entry, wrong } = await playDay(testCase);
  expect({ items: openItems(entry), wrong }).toEqual({ items: [item], wrong: [] });
  expect(["RECONCILIATION", "CREDIT_AUTH_RECONCILIATION", "COMPLETED"]).toContain(entry.state);
});

test("I10, row 0, NOT_REACHED_BEFORE_CLOSE: its turn does not come before the window closes", async () => {
  const others = Array.from({ length: 12 }, (_, number): ScenarioMessage => {
    const of = `0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f${(16 + number).toString(16)}`;
    return { ...debit, message: debitMessage(of), sendAtMs: postFromMs - 2_000 };
  });
  const end = await simulateScenario(1, {
    ...calmScenario,
    maxUnacknowledged: 1,
    scripts: scriptAll(silentDebit),
    messages: [...others, debit],
  });
  const causes = end.history.flatMap((entry) => (entry.kind === "snapshot" ? entry.items.map(({ row, cause }) => `${row} ${cause}`) : []));
  expect(causes).toContain("0 NOT_REACHED_BEFORE_CLOSE");
  expect(checkHistory(end.history, { queueToleranceMs: 10_000 }).violations).toEqual([]);
});

test.each<readonly [string, Case]>([
  ["row 1: ingress is unreachable when the bank sends", { messages: [debit], over: { ingressAwayMs: [0, postFromMs + 2_500] } }],
  [
    "row 2: ingress answers 503 when the bank sends",
    { messages: [debit], over: { brokerAwayMs: [postFromMs - 1_000, postFromMs + 3_000] } },
  ],
  [
    "row 10: ingress is unreachable when the bank reports",
    {
      messages: [debit],
      over: { scripts: scriptAll({ reports: [reportSettled({ afterMs: 5_000 })] }), ingressAwayMs: [opensMs + 4_000, opensMs + 7_500] },
    },
  ],
  [
    "row 6: the account is invalid, and the bank acknowledges the report",
    { messages: [{ ...debit, message: debitMessage(uetr, invalidAccount(1)) }] },
  ],
  [
    "an outcome report that the connector acknowledges late, but before the close",
    { messages: [offUs], over: { scripts: scriptAll({ operation: "inboundDirectDebitResponse", attempts: [1, 3], answer: refuse(503) }) } },
  ],
  ["a bank that answers late", { messages: [debit], over: { scripts: scriptAll({ answer: acknowledge({ afterMs: 3_000 }) }) } }],
])("%s: no item is made", async (_what, testCase) => {
  const { entry, wrong } = await playDay(testCase);
  expect({ items: entry.items, wrong }).toEqual({ items: [], wrong: [] });
  expect(["COMPLETED", "REJECTION_REPORTED"]).toContain(entry.state);
});

test.each<readonly [string, SentEntry["operation"], Case]>([
  ["row 1: ingress is unreachable", "outboundDirectDebit", { messages: [debit], over: { ingressAwayMs: [0, postFromMs + 2_500] } }],
  [
    "row 2: ingress answers 503",
    "outboundDirectDebit",
    { messages: [debit], over: { brokerAwayMs: [postFromMs - 1_000, postFromMs + 1_500] } },
  ],
  [
    "row 10: ingress is unreachable when the bank reports",
    "inboundDirectDebitResponse",
    {
      messages: [debit],
      over: { scripts: scriptAll({ reports: [reportSettled({ afterMs: 5_000 })] }), ingressAwayMs: [opensMs + 4_000, opensMs + 7_500] },
    },
  ],
])(
  "%s: a message is sent up to three times more, 1 s apart, and counts once [D3.4] [D3.5]",
  async (_what, operation, { messages, over = {} }) => {
    const { history } = await simulateScenario(1, { ...calmScenario, ...over, messages });
    const sent = history.flatMap((entry) => (entry.kind === "sent" && entry.operation === operation ? [entry] : []));
    expect([3, 4]).toContain(sent.length);
    expect([sent.at(-1)?.status, sent.slice(0, -1).filter(({ status }) => status === 202)]).toEqual([202, []]);
    const apartMs = sent.slice(1).map(({ atMs }, index) => atMs - (sent[index]?.atMs ?? 0));
    expect(apartMs.filter((ms) => Math.abs(ms - 1_000) > 1)).toEqual([]);
    expect(history.filter(({ kind }) => kind === "snapshot")).toMatchObject([{ state: "COMPLETED", items: [] }]);
    expect(checkHistory(history, { queueToleranceMs: 10_000 }).violations).toEqual([]);
  },
);

test("row 6: the corrected debit is a new transaction [D6.12] [D6.13]", async () => {
  const corrected: ScenarioMessage = { ...debit, message: debitMessage(creditUetr), sendAtMs: postFromMs + 5_000 };
  const refused: ScenarioMessage = { ...debit, message: debitMessage(uetr, invalidAccount(1)) };
  const named = [refused, corrected].map(({ message }) => JSON.stringify(message));
  const endToEnd = named.map((text) => /"endToEndIdentification":"[^"]+"/.exec(text)?.[0]);
  expect([endToEnd[0] !== undefined, endToEnd[0] === endToEnd[1]]).toEqual([true, true]);
  const end = await simulateScenario(1, { ...calmScenario, messages: [refused, corrected] });
  const states = end.history.flatMap((entry) => (entry.kind === "snapshot" ? [`${entry.uetr} ${entry.state}`] : []));
  expect(states).toEqual([`${uetr} REJECTION_REPORTED`, `${creditUetr} COMPLETED`]);
});

test("a debit refused by mistake is redriven and ends before the close; its item is settled", async () => {
  const until = Date.UTC(2026, 10, 20, 10, 0, 40);
  const scripts = scriptAll({ operation: "inboundDirectDebit", betweenMs: [0, until], answer: refuse(400) });
  const { entry, wrong } = await playDay({
    messages: [debit],
    over: { scripts, actions: [{ kind: "redrive", atMs: closesMs - 10_000, uetr }] },
  });
  expect({ state: entry.state, items: openItems(entry), wrong }).toEqual({ state: "COMPLETED", items: [], wrong: [] });
  expect(entry.items).toMatchObject([{ row: 3 }]);
});

const failedForEver = refuse(500);

test("I10, row 8: a debit that the bank fails for ever is stopped, and is an item at the close like any that it may have taken [D3 operator-stop]", async () => {
  const scripts = scriptAll({ operation: "inboundDirectDebit", answer: failedForEver });
  const { entry, wrong } = await playDay({
    messages: [debit],
    over: { scripts, actions: [{ kind: "stop", atMs: closesMs - 10_000, uetr }] },
  });
  expect({ state: entry.state, items: openItems(entry), wrong }).toEqual({ state: "RECONCILIATION", items: ["8 - RELEASED"], wrong: [] });
});

test("a debit that was stopped is redriven when the bank takes it again, and ends before the close [D3 operator-stop]", async () => {
  const until = Date.UTC(2026, 10, 20, 10, 0, 40);
  const scripts = scriptAll({ operation: "inboundDirectDebit", betweenMs: [0, until], answer: failedForEver });
  const actions = [
    { kind: "stop", atMs: closesMs - 15_000, uetr },
    { kind: "redrive", atMs: closesMs - 8_000, uetr },
  ] as const;
  const { entry, wrong } = await playDay({ messages: [debit], over: { scripts, actions } });
  expect({ state: entry.state, items: openItems(entry), wrong }).toEqual({ state: "COMPLETED", items: [], wrong: [] });
});

test("operators resolve items, and the connector gets one outcome report", async () => {
  const over = {
    scripts: scriptAll(silentDebit),
    actions: [{ kind: "resolve all", atMs: reconcilesMs + 10_000 }],
  } satisfies Partial<Scenario>;
  const end = await simulateScenario(1, { ...calmScenario, ...over, messages: [offUs] });
  const reports = end.history.flatMap((entry) =>
    entry.kind === "received" && entry.operation === "inboundDirectDebitResponse" ? [entry.webhookId] : [],
  );
  expect(reports).toEqual([`${uetr.replaceAll("-", "")}O1`]);
  expect(checkHistory(end.history).violations).toEqual([]);
});
