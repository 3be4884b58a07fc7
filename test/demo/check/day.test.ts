import type { ReceivedEntry } from "@sluice/checker";
import type { Item, Transaction } from "@sluice/domain";
import { seededRandom, type RecordedRequest } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { checkDay, operationByFlow, type DayEvidence } from "./day.ts";
import { formatTable } from "@sluice/environment";
import { buildReconciliationList, countOpenItems, listSpecialDebits, buildDayTable } from "../report/day-table.ts";
import { demoConnectorId, isBulkKind, planDemoDay, type DemoTransaction } from "../plan/day.ts";

const day = planDemoDay(seededRandom(1), 3, 0);

const paths: Readonly<Record<string, readonly string[]>> = {
  COMPLETED: ["RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED", "DELIVERED", "COMPLETED"],
  UNPAID: ["RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED", "DELIVERED", "UNPAID"],
  REJECTION_REPORTED: ["RECEIVED", "REJECTED", "REJECTION_REPORTED"],
  RECONCILIATION: ["RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED", "RECONCILIATION"],
  CREDIT_AUTH_RESPONSE_ACCEPTED: [
    "CREDIT_AUTH_RECEIVED",
    "CREDIT_AUTH_ACCEPTED",
    "CREDIT_AUTH_DELIVERY_PENDING",
    "CREDIT_AUTH_DELIVERED",
    "CREDIT_AUTH_RESPONSE_ACCEPTED",
  ],
  CREDIT_AUTH_RECONCILIATION: [
    "CREDIT_AUTH_RECEIVED",
    "CREDIT_AUTH_ACCEPTED",
    "CREDIT_AUTH_DELIVERY_PENDING",
    "CREDIT_AUTH_DELIVERED",
    "CREDIT_AUTH_RECONCILIATION",
  ],
  CREDIT_AUTH_REJECTED: ["CREDIT_AUTH_RECEIVED", "CREDIT_AUTH_REJECTED"],
};

/** Builds a day on which everything went as planned. */
function goodDay(): { snapshots: Map<string, Transaction>; requests: RecordedRequest[] } {
  return {
    snapshots: new Map(day.transactions.map((debit) => [debit.uetr, buildSnapshot(debit)])),
    requests: day.transactions.flatMap((debit) => buildRequests(debit)),
  };
}

function buildResolution(kind: "made" | "not-made"): Item["resolution"] {
  const action = { id: "a", operator: "thandi", person: null, confirmedBy: null, reason: "r", requestedAtMs: 0, contentSha256: "" };
  return {
    kind,
    replacedBy: null,
    action,
    offset: 1n,
    atMs: 0,
    isFinal: true,
    expiresAtMs: null,
    confirmed: { action: { ...action, operator: "sipho" }, atMs: 1 },
  };
}

function buildSnapshot(debit: DemoTransaction): Transaction {
  const states = paths[debit.end.state] ?? [];
  const resolution = buildResolution(debit.end.found === "MADE" ? "made" : "not-made");
  const items: Partial<Item>[] =
    debit.end.row === null ? [] : [{ row: debit.end.row, cause: null, state: "RELEASED", evidence: null, settledAtMs: null, resolution }];
  return {
    state: debit.end.state,
    amountTenThousandths: BigInt(debit.amount.replace(".", "")) * 100n,
    transitions: states.map((state, index) => ({ stageVersion: index + 1, state })),
    items,
    observations: { count: debit.posts - 1, last: debit.posts === 2 ? [{ kind: "repeat" }] : [] },
  } as unknown as Transaction;
}

function buildRequests(debit: DemoTransaction): RecordedRequest[] {
  const common = { atMs: 0, bank: debit.bank, uetr: debit.uetr, bodyHash: "h", status: 202 };
  const sent = { ...common, kind: "sent", operation: operationByFlow[debit.flow], messageIdentification: "m" } as const;
  const received = { ...common, kind: "received", webhookId: "w", stageVersion: null, state: null } as const;
  const body = (text: string): Pick<RecordedRequest, "body" | "headers"> => ({ body: new TextEncoder().encode(text), headers: {} });
  return [
    ...Array.from({ length: debit.posts }, () => ({ entry: sent, ...body("") })),
    ...(paths[debit.end.state] ?? []).map((state, index) => ({
      entry: { ...received, operation: "events", stageVersion: index + 1, state } as const,
      ...body(""),
    })),
    ...buildOutcomes(debit, received, body),
    ...(debit.end.state === "REJECTION_REPORTED" || debit.end.state === "CREDIT_AUTH_REJECTED"
      ? []
      : [{ entry: { ...received, operation: inboundOperation(debit) }, ...body(`{"value":${debit.amount},`) }]),
  ];
}

function inboundOperation({ flow }: DemoTransaction): "inboundDirectDebit" | "inboundCreditTransferAuthorization" {
  return flow === "credit" ? "inboundCreditTransferAuthorization" : "inboundDirectDebit";
}

/** Builds the outcome reports that the connector receives. */
function buildOutcomes(
  { uetr, flow, end }: DemoTransaction,
  received: Omit<ReceivedEntry, "operation">,
  body: (text: string) => Pick<RecordedRequest, "body" | "headers">,
): readonly RecordedRequest[] {
  const operation = flow === "credit" ? "inboundCreditTransferAuthorizationResponse" : "inboundDirectDebitResponse";
  const findingCodes = end.found === null || flow === "on-us" ? [] : [end.found === "MADE" ? "ACSC" : "RJCT"];
  return [...end.outcomeCodes, ...findingCodes].map((code, index) => {
    const webhookId = `${uetr.replaceAll("-", "")}O${index + 1}`;
    return { entry: { ...received, operation, bank: demoConnectorId, webhookId }, ...body(`{"code":"${code}"`) };
  });
}

const findByKind = (kind: DemoTransaction["kind"]): DemoTransaction => day.transactions.find((debit) => debit.kind === kind)!;
const good = findByKind("good");
const credit = findByKind("credit");

/** Returns the problems of a good day after one change to it. */
function findProblems(spoil: (evidence: ReturnType<typeof goodDay>) => void): readonly string[] {
  const evidence = goodDay();
  spoil(evidence);
  return checkDay({ day, ...evidence }, true);
}

function without(requests: RecordedRequest[], isGone: (request: RecordedRequest) => boolean): void {
  requests.splice(0, requests.length, ...requests.filter((request) => !isGone(request)));
}

describe("the check of the demo day", () => {
  it("finds no problem on a good day", () => {
    expect(findProblems(() => {})).toEqual([]);
  });

  it("finds a debit that is lost or ended in another state", () => {
    expect(findProblems(({ snapshots }) => snapshots.delete(good.uetr))).toEqual([
      expect.stringContaining("is not in the store"),
      expect.stringContaining("those in the store are over"),
    ]);
    const held = { ...buildSnapshot(good), state: "HELD" } as Transaction;
    expect(findProblems(({ snapshots }) => snapshots.set(good.uetr, held))).toEqual([
      expect.stringContaining("ended HELD, planned COMPLETED"),
    ]);
  });

  it("finds an event that is missing or out of order", () => {
    const isEvent = (state: string, request: RecordedRequest): boolean =>
      request.entry.kind === "received" && request.entry.uetr === good.uetr && request.entry.state === state;
    expect(findProblems(({ requests }) => without(requests, (request) => isEvent("HELD", request)))).toHaveLength(1);
    expect(
      findProblems(({ requests }) => {
        const place = requests.findIndex((request) => isEvent("HELD", request));
        requests.splice(place, 2, requests[place + 1]!, requests[place]!);
      }),
    ).toHaveLength(1);
  });

  it("accepts the repeat of an event", () => {
    expect(
      findProblems(({ requests }) =>
        requests.push(...requests.filter(({ entry }) => entry.kind === "received" && entry.uetr === good.uetr)),
      ),
    ).toEqual([]);
  });

  it("finds a second effect, a refused debit that was sent, and an amount with other digits", () => {
    const inbound = buildRequests(good).at(-1)!;
    const spoilt = (changes: object, debit = good): readonly string[] =>
      findProblems(({ requests }) => requests.push({ ...inbound, entry: { ...inbound.entry, uetr: debit.uetr, ...changes } }));
    expect(spoilt({ webhookId: "another" })).toEqual([expect.stringContaining("it came as 2")]);
    expect(spoilt({ bodyHash: "another" })).toEqual([expect.stringContaining("it came as 2")]);
    expect(spoilt({}, findByKind("bad-account"))).toEqual([expect.stringContaining("sent to the bank nevertheless")]);
    expect(spoilt({ uetr: "unknown" })).toEqual([expect.stringContaining("which nobody posted")]);
    expect(
      findProblems(({ requests }) => {
        const place = requests.findIndex(({ entry }) => entry.kind === "received" && entry.operation === "inboundDirectDebit");
        requests[place] = { ...requests[place]!, body: new TextEncoder().encode('{"value":1.5,') };
      }),
    ).toEqual([expect.stringContaining("received another amount")]);
  });

  it("finds an outcome report that is missing, has another code, or was not planned", () => {
    const isOutcome = ({ entry }: RecordedRequest): boolean =>
      entry.kind === "received" && entry.uetr === credit.uetr && entry.bank === demoConnectorId;
    const outcome = buildRequests(credit).find(isOutcome)!;
    expect(findProblems(({ requests }) => without(requests, isOutcome))).toEqual([
      expect.stringContaining("did not acknowledge outcome 1"),
    ]);
    expect(
      findProblems(({ requests }) => {
        requests[requests.findIndex(isOutcome)] = { ...outcome, body: new TextEncoder().encode('{"code":"PDNG"') };
      }),
    ).toEqual([expect.stringContaining("did not receive ACSC")]);
    const stray = { ...outcome.entry, uetr: good.uetr, webhookId: `${good.uetr.replaceAll("-", "")}O1` } as RecordedRequest["entry"];
    expect(findProblems(({ requests }) => requests.push({ ...outcome, entry: stray }))).toEqual([
      expect.stringContaining("was not planned"),
    ]);
  });

  it("finds an item under another row, a missing item, and one too many", () => {
    const silent = findByKind("no-answer");
    const withItems = (debit: DemoTransaction, items: readonly Partial<Item>[]): readonly string[] =>
      findProblems(({ snapshots }) => snapshots.set(debit.uetr, { ...buildSnapshot(debit), items } as Transaction));
    const resolution = buildResolution("not-made");
    expect(withItems(silent, [{ row: 8, settledAtMs: null, resolution }])).toEqual([expect.stringContaining("under row 7, found row 8")]);
    expect(withItems(silent, [])).toEqual([expect.stringContaining("under row 7, found none"), expect.stringContaining("is not resolved")]);
    const open = { ...resolution!, isFinal: false };
    expect(withItems(silent, [{ row: 7, settledAtMs: null, resolution: open }])).toEqual([expect.stringContaining("is not resolved")]);
    const other = buildResolution("made");
    expect(withItems(silent, [{ row: 7, settledAtMs: null, resolution: other }])).toEqual([
      expect.stringContaining("was resolved MADE, NOT_MADE was planned"),
    ]);
    expect(withItems(good, [{ row: 9, settledAtMs: null }])).toEqual([expect.stringContaining("is on the reconciliation list (row 9)")]);
  });

  it("finds a post that was never answered 202 and a repeat that was not recorded", () => {
    const twice = findByKind("posted-twice");
    expect(
      findProblems(({ requests }) =>
        requests.splice(
          requests.findIndex(({ entry }) => entry.uetr === twice.uetr && entry.kind === "sent"),
          1,
        ),
      ),
    ).toEqual([expect.stringContaining("posted 2 times, answered 202 1 times")]);
    expect(
      findProblems(({ snapshots }) => snapshots.set(twice.uetr, { ...buildSnapshot(twice), observations: { count: 0, last: [] } })),
    ).toHaveLength(1);
  });
});

describe("the demo's tables", () => {
  const evidence: DayEvidence = { day, ...goodDay() };

  it("count every debit once, by bank and state, with sums", () => {
    const table = buildDayTable(evidence);
    expect(table.reduce((sum, { count }) => sum + count, 0)).toBe(day.transactions.length);
    expect(table.filter(({ bank }) => bank === "karoo").map(({ flow, state, count }) => [flow, state, count])).toEqual([
      ["credit", "CREDIT_AUTH_RESPONSE_ACCEPTED", 4],
      ["off-us debit", "COMPLETED", 3],
      ["on-us debit", "COMPLETED", 6],
      ["on-us debit", "REJECTION_REPORTED", 5],
    ]);
    const cents = (text: string): bigint => BigInt(text.replace(".", ""));
    expect(table.reduce((sum, row) => sum + cents(row.sum), 0n)).toBe(
      day.transactions.reduce((sum, { amount }) => sum + cents(amount), 0n),
    );
  });

  it("list each unresolved transaction with its row", () => {
    expect(
      buildReconciliationList(evidence)
        .map(({ row, bank }) => `${bank} ${row}`)
        .toSorted((a, b) => (a < b ? -1 : 1)),
    ).toEqual(["kudu 7", "kudu 7", "marula 9", "marula 9", "marula 9"]);
  });

  it("count an item as open until a second person has confirmed what was found", () => {
    const unresolved = day.transactions.find(({ end }) => end.row === 7)!;
    const snapshot = buildSnapshot(unresolved);
    const items = snapshot.items.map((item) => ({ ...item, resolution: null }));
    const snapshots = new Map([...evidence.snapshots, [unresolved.uetr, Object.assign(snapshot, { items })]]);
    expect([countOpenItems(evidence), countOpenItems({ ...evidence, snapshots })]).toEqual([0, 1]);
  });

  it("show each special transaction with its observations", () => {
    const specials = listSpecialDebits(evidence);
    expect(specials).toHaveLength(day.transactions.filter(({ kind }) => !isBulkKind(kind)).length);
    expect(specials.filter(({ posts }) => posts === 2)).toMatchObject([
      { kind: "posted twice", state: "COMPLETED", observations: ["repeat"] },
    ]);
  });

  it("align their columns", () => {
    expect(
      formatTable(
        ["bank", "sum"],
        [
          ["a", "10.00"],
          ["long", "9.00"],
        ],
      ),
    ).toBe("  bank    sum\n  ────  ─────\n  a     10.00\n  long   9.00");
  });
});
