// Plays a business day that operators steer, on real servers and real processes. It has two windows, a gate that an
// operator opens and one that stays closed, a bank paused over its windows and one resumed in time, withdrawn debits, a
// redriven delivery, and a close that is extended shortly before it. The reconciliation list is complete, and two
// operators resolve it. Console and scheduler are killed while decisions are under way. Every decision is sent twice
// and counts once.

import { machineTime } from "@sluice/kernel";
import { validAccount } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askConsole } from "./parties/calls.ts";
import { createCases } from "./parties/cases.ts";
import { runSluice } from "./command-line.ts";
import {
  findDocumentViolations,
  findReceived,
  enteredStates,
  findProposal,
  loadTransaction,
  untilHolds,
  untilState,
  type JsonBody,
} from "./recorded/evidence.ts";
import { findStateEvents, untilAllEvents } from "./recorded/events.ts";
import { outgoingIdentification, type E2eCase } from "./parties/flows.ts";
import { findActions, findMarkerNumbers, loadDecisionNotes } from "./recorded/decisions.ts";
import {
  operatorsDayBanks,
  completedDebits,
  unresolvedDebits,
  operatorsDayOperators,
  sumAmounts,
  refusedOutcomeRule,
  type OperatorsDayBankId,
  type PlannedDebit,
} from "./parties/operators-day.fixture.ts";
import {
  decideAndApply,
  decideTwice,
  decideOnce,
  askControl,
  askControlText,
  readMembers,
  readRows,
  untilDecided,
  recordDecision,
} from "./parties/operators.ts";
import { findInbound, findOutcomeReports } from "./recorded/outcome-reports.ts";
import { openE2eEnvironment, type E2eEnvironment } from "./environment/environment.ts";

const opened = new AsyncDisposableStack();
let environment: E2eEnvironment;
let day: string;
const { caseFor, submit, submitReport, size } = createCases(() => environment, operatorsDayBanks);
const debits: readonly PlannedDebit[] = [...unresolvedDebits, ...completedDebits];
const [withdrawn, heldOvernight] = [{ name: "withdrawn", bank: "karoo" }, "301.01"] as const;

beforeAll(async () => {
  environment = opened.use(
    await openE2eEnvironment(operatorsDayBanks, "connector", {
      furtherWindows: [{ opens: "20:15", closes: "20:45" }],
      operators: operatorsDayOperators,
    }),
  );
  day = `ZA_EFT:${environment.businessDate}`;
});
afterAll(() => opened.disposeAsync());

function plannedCase({ flow, name, bank, amount }: PlannedDebit): E2eCase {
  return caseFor(flow, name, bank, { amount });
}

/** A credit on which its bank never reports. */
function unreportedCredit(bank: OperatorsDayBankId): E2eCase {
  return caseFor("credit", "unreported", bank);
}

/** A credit of the scheme with the shortest deadline. */
function shortCredit(): E2eCase {
  return caseFor("credit", "short", "karoo", { scheme: "ZA_RTC" });
}

function carriedOver(): E2eCase {
  return caseFor("on-us", "carried-over", "marula", { amount: heldOvernight });
}

async function today(): Promise<JsonBody> {
  const [row] = readRows(
    await askControl(environment, "zola", `/windows?scheme=ZA_EFT&from=${environment.businessDate}&to=${environment.businessDate}`),
  );
  return row ?? {};
}

async function gates(): Promise<Readonly<Record<string, unknown>>> {
  return Object.fromEntries(readMembers(await today(), "gates").map(({ bank, reason }) => [bank, reason]));
}

/** Runs `./sluice` with --json as one of the operators, and returns its result. */
async function sluice(who: string, words: readonly string[]): Promise<{ readonly code: number | null; readonly body: JsonBody }> {
  const { code, stdout, stderr } = await sluiceText(who, [...words, "--json"]);
  expect([words[0], stderr]).toEqual([words[0], ""]);
  const body: JsonBody = JSON.parse(stdout);
  if (typeof body["action"] === "string") recordDecision(environment, who, body["action"], "{}", stdout);
  return { code, body };
}

function sluiceText(who: string, words: readonly string[]): ReturnType<typeof runSluice> {
  return runSluice([...words, "--console", environment.services.controlUrl], { SLUICE_OPERATOR_TOKEN: environment.operator(who).token });
}

describe("waiting transactions", () => {
  test("are found by any search term, page by page, each once", async () => {
    for (const part of debits) {
      const debit = plannedCase(part);
      const script = part.name === "untaken" ? refusedOutcomeRule : part.script;
      const party = part.flow === "off-us" && part.name === "untaken" ? environment.connector : environment.bank(part.bank);
      if (script !== null) party.addRules([{ ...script, uetr: debit.uetr }]);
    }
    const credits = [unreportedCredit("kudu"), unreportedCredit("marula"), shortCredit()];
    await Promise.all([...credits, ...debits.map(plannedCase)].map(submit));
    // From here on a debit that misses its windows is carried over to the next date.
    for (const part of debits) await untilState(environment, plannedCase(part).uetr, part.name === "unheard" ? "ACCEPTED" : "HELD");
    await environment.plan({ onMissedWindow: "carry-over" });
    await environment.services.restart("validator");
    await submit(carriedOver());
    await untilState(environment, carriedOver().uetr, "HELD");
    for (const bank of ["kudu", "marula"] as const) await untilState(environment, unreportedCredit(bank).uetr, "CREDIT_AUTH_DELIVERED");

    const found: string[] = [];
    for (let next: unknown = ""; typeof next === "string";) {
      const after = next === "" ? "" : `&after=${encodeURIComponent(next)}`;
      const page = await askControl(environment, "zola", `/transactions?scheme=ZA_EFT&state=HELD&limit=4${after}`);
      found.push(...readRows(page).map(({ uetr }) => String(uetr)));
      next = page["next"];
    }
    const held = [...debits.filter(({ name }) => name !== "unheard").map(plannedCase), carriedOver()];
    expect(found).toEqual(held.map(({ uetr }) => uetr).toSorted());
    const [unheard] = unresolvedDebits.filter(({ name }) => name === "unheard");
    for (const terms of ["amount=107.07&currency=ZAR", "state=ACCEPTED&bank=marula", "bank=marula&flow=on-us&amount=107.07"]) {
      const rows = readRows(await askControl(environment, "zola", `/transactions?${terms}`));
      expect([terms, rows]).toMatchObject([terms, [{ uetr: unheard === undefined ? "" : plannedCase(unheard).uetr, state: "ACCEPTED" }]]);
    }
  });

  test("only operators with the role for it decide, and banks have no access", async () => {
    const bank = "karoo";
    const decision = { path: `/banks/${bank}/pause`, id: "not-allowed", body: { reason: "Nobody may." } };
    const statuses = [];
    for (const who of ["zola", "sipho"]) statuses.push((await decideOnce(environment, who, decision)).status);
    const confirmation = `/transactions/${plannedCase(debits[0] ?? never()).uetr}/resolution/confirmation`;
    statuses.push(
      (
        await decideOnce(environment, "zola", {
          path: confirmation,
          id: "not-allowed",
          body: { reason: "-", offset: "1", contentSha256: "0".repeat(64) },
        })
      ).status,
    );
    statuses.push((await askConsole(environment, environment.operator("thandi").token, `/transactions/${carriedOver().uetr}`)).status);
    expect(statuses).toEqual([403, 403, 403, 401]);
  });

  test("I3: decisions take effect once each although the console is killed: two debits withdrawn, two banks paused [D9 withdrawn] [D9 pause]", async () => {
    const withdrawals = (["on-us", "off-us"] as const).map((flow) => {
      const { uetr } = caseFor(flow, withdrawn.name, withdrawn.bank);
      return { path: `/transactions/${uetr}/withdrawal`, id: `withdraw-${flow}`, body: { reason: "Sent with the wrong file." } };
    });
    const pause = { path: "/banks/protea/pause", id: "pause-protea", body: { reason: "Its system is being moved." } };
    const deciding = Promise.all([...withdrawals, pause].map((decision) => decideAndApply(environment, "thandi", decision)));
    await environment.services.kill("console");
    await environment.services.start("console");
    const [paused] = await Promise.all([sluice("thandi", ["bank", "pause", "acacia", "--reason", "Asked for by the bank."]), deciding]);
    expect(paused).toMatchObject({ code: 0, body: { key: "bank:acacia", judged: { result: "applied" } } });
    for (const flow of ["on-us", "off-us"] as const) {
      await untilState(environment, caseFor(flow, withdrawn.name, withdrawn.bank).uetr, "RECONCILIATION");
    }
  });

  test("the reason is shown for each bank: its pause, or the gate and the credits or declaration that it waits for", async () => {
    const asked = await askControl(environment, "zola", `/held?day=${day}`);
    const expected = operatorsDayBanks.map(({ id: bank }) => {
      const held = debits.filter((part) => part.bank === bank && !["withdrawn", "unheard"].includes(part.name)).map(({ amount }) => amount);
      const amounts = bank === "marula" ? [...held, heldOvernight] : held;
      const isPaused = bank === "protea" || bank === "acacia";
      const why = isPaused ? "the bank is paused by an operator" : "gate closed: credits not declared (declared by the connector)";
      return { bank, day, count: amounts.length, sum: sumAmounts(amounts), waitsFor: isPaused ? "bank-paused" : "gate", why };
    });
    expect(readRows(asked)).toMatchObject(expected.toSorted((a, b) => (a.bank < b.bank ? -1 : 1)));
  });
});

describe("the gate", () => {
  const declaration = { path: "", id: "credits-final", body: { reason: "The clearing house confirmed it by telephone." } };

  test("I8: an operator's declaration is kept while no scheduler runs, and takes effect once when one does [D9 credits-final]", async () => {
    await environment.services.kill("scheduler");
    const path = `/days/ZA_EFT/${environment.businessDate}/credits-final`;
    expect(await decideTwice(environment, "thandi", { ...declaration, path })).toBe(day);
    expect((await askControlText(environment, "zola", `/actions/credits-final?key=${day}`)).status).toBe(404);
    const [windows, held, search] = await Promise.all([
      sluice("zola", ["windows", "--scheme", "ZA_EFT", "--from", environment.businessDate]),
      sluice("zola", ["held", "--bank", "kudu"]),
      sluice("zola", ["search", "--bank", "baobab", "--state", "HELD"]),
    ]);
    expect([windows.code, held.code, search.code]).toEqual([0, 0, 0]);
    expect(readRows(windows.body)).toHaveLength(8);
    expect(readRows(held.body)).toMatchObject([{ bank: "kudu", count: 2 }]);
    expect(readRows(search.body)).toHaveLength(2);
    await environment.services.start("scheduler");
    expect(await untilDecided(environment, day, "credits-final")).toMatchObject({ result: "applied" });
    const { declarations, windows: planned } = await today();
    expect([declarations, planned]).toMatchObject([[{ bank: null, declaredBy: "operator" }], [{ state: "open" }, { state: "planned" }]]);
  });

  test("I8: a bank's gate stays closed over its credit, which is named; an operator who names it opens that gate alone [D9 gate-by-hand]", async () => {
    const [ofKudu, ofMarula] = [unreportedCredit("kudu").uetr, unreportedCredit("marula").uetr];
    const closedFor = (uetr: string): string => `1 credit unresolved: ${uetr}`;
    const open = { karoo: null, baobab: null, protea: null, acacia: null };
    await untilHolds(async () => expect(await gates()).toEqual({ ...open, kudu: closedFor(ofKudu), marula: closedFor(ofMarula) }));
    const path = `/days/ZA_EFT/${environment.businessDate}/gate-opening`;
    const body = { reason: "The bank booked it and cannot report today.", bank: "kudu", credits: [ofMarula] };
    const unnamed = await decideOnce(environment, "thandi", { path, id: "gate-unnamed", body });
    expect([unnamed.status, unnamed.text]).toEqual([409, expect.stringContaining(`Not named: ${ofKudu}`)]);
    await decideAndApply(environment, "thandi", { path, id: "gate-kudu", body: { ...body, credits: [ofKudu] } });
    await untilState(environment, caseFor("on-us", "by-hand", "kudu").uetr, "DELIVERED");
    expect(await gates()).toEqual({ ...open, kudu: null, marula: closedFor(ofMarula) });
    for (const name of ["gate-closed", "carried-over"]) {
      expect((await loadTransaction(environment, caseFor("on-us", name, "marula").uetr)).state).toBe("HELD");
    }
    await submitReport(caseFor("on-us", "by-hand", "kudu"));
  });
});

describe("refused deliveries", () => {
  test("a refused debit is shown at once with the bank's answer, and ends well after a redrive [7.3] [D9 items]", async () => {
    const debit = caseFor("on-us", "redriven", "karoo");
    const asItem = { uetr: debit.uetr, row: 3, isOpen: true, state: "RELEASED", evidence: { httpStatusCode: 400 } };
    await untilHolds(async () => {
      const early = await askControl(environment, "zola", `/reconciliation?day=${day}&row=3&bank=karoo`);
      expect(readRows(early)).toMatchObject([asItem]);
    });
    const { code, body } = await sluice("zola", ["undelivered", "--bank", "karoo"]);
    expect([code, readRows(body)]).toMatchObject([0, [{ uetr: debit.uetr, status: "refused", recentAttempts: [{ httpStatusCode: 400 }] }]]);
    const redrive = { reason: "The bank has mended it.", messageIdentification: outgoingIdentification(debit, "D") };
    await decideAndApply(environment, "thandi", { path: `/transactions/${debit.uetr}/redrive`, id: "redrive-debit", body: redrive });
    await untilState(environment, debit.uetr, "DELIVERED");
    const tries = findInbound(environment, debit);
    expect(tries.map(({ status, webhookId }) => [status, webhookId])).toEqual(
      [400, 202].map((status) => [status, outgoingIdentification(debit, "D")]),
    );
    expect(new Set(tries.map(({ bodyHash }) => bodyHash)).size).toBe(1);
    await submitReport(debit);
    await untilState(environment, debit.uetr, "COMPLETED");
  });

  test("a refused outcome report is an item of the ended debit until it is redriven and acknowledged [D7 OUTCOME_UNDELIVERED]", async () => {
    const debit = caseFor("off-us", "untaken", "karoo");
    await untilState(environment, debit.uetr, "DELIVERED");
    await submitReport(debit);
    await untilState(environment, debit.uetr, "COMPLETED");
    const items = async () => (await loadTransaction(environment, debit.uetr)).items;
    await untilHolds(async () => expect(await items()).toMatchObject([{ row: 3, cause: "OUTCOME_UNDELIVERED", settledAtMs: null }]));
    const redrive = { reason: "The connector was given the new code list.", messageIdentification: outgoingIdentification(debit, "O1") };
    await decideAndApply(environment, "thandi", { path: `/transactions/${debit.uetr}/redrive`, id: "redrive-outcome", body: redrive });
    await untilHolds(async () => expect(await items()).toMatchObject([{ settledAtMs: expect.any(Number) }]));
    expect(findOutcomeReports(environment, debit).map(({ status }) => status)).toEqual([400, 202]);
  });

  test("refused and unanswered deliveries are counted for each bank, with the time of the close", async () => {
    await submitReport(caseFor("off-us", "unreported", "karoo"), { outcome: "pending" });
    await untilHolds(async () => {
      const shown = readRows(await askControl(environment, "zola", "/undelivered")).filter((row) => row["day"] === day);
      const { reconciliation } = await today();
      expect(shown.map(({ bank, deliveries, closes }) => ({ bank, deliveries, closes }))).toMatchObject(
        [
          { bank: "baobab", deliveries: { waiting: 1, refused: 1 } },
          { bank: "kudu", deliveries: { waiting: 1, refused: 0 } },
          { bank: "marula", deliveries: { waiting: 1, refused: 0 } },
        ].map((row) => ({ ...row, closes: closesOf(reconciliation) })),
      );
    });
  });
});

describe("the close", () => {
  /**
   * Milliseconds for a step of the day, as long as this machine takes to start services, so that each step ends in
   * time.
   */
  const paceMs = (): number => Math.min(Math.max(environment.services.startedInMs, 4_000), 30_000);
  const wholeSecond = (atMs: number): number => Math.ceil(atMs / 1_000) * 1_000;
  const instant = (atMs: number): string => Temporal.Instant.fromEpochMilliseconds(atMs).toString();
  const msOf = (text: unknown): number => Temporal.Instant.from(String(text)).epochMilliseconds;
  const windowsOf = (row: JsonBody): readonly JsonBody[] => readMembers(row, "windows");

  test(
    "I9: an extended close comes later, and the reconciliation with it; meanwhile a resumed bank gets its debit [D9 extend] [D9 pause] [D9 several-windows]",
    { timeout: 600_000 },
    async () => {
      const firstClosesAtMs = wholeSecond(machineTime.nowMs() + paceMs());
      const opensAtMs = firstClosesAtMs + 1_000;
      const closesAtMs = opensAtMs + wholeSecond(Math.max(5_000, paceMs()));
      const laterMs = closesAtMs + wholeSecond(Math.max(6_000, 1.5 * paceMs()));
      const reconcilesAtMs = laterMs + 2_000;
      const windows = [
        { opens: "08:00", closes: environment.localTime(firstClosesAtMs) },
        { opens: environment.localTime(opensAtMs), closes: environment.localTime(closesAtMs) },
      ];
      await environment.plan({ windows, reconciliation: environment.localTime(closesAtMs + 1_000) });
      await environment.services.restart("scheduler");
      await untilHolds(async () => expect(msOf(windowsOf(await today())[1]?.["closes"])).toBe(closesAtMs));

      const path = `/days/ZA_EFT/${environment.businessDate}/close-extension`;
      const extension = (window: number, atMs: number): JsonBody => ({
        reason: "A bank needs an hour more.",
        window,
        closesAt: instant(atMs),
      });
      const outOfOrder = await decideOnce(environment, "thandi", { path, id: "too-soon", body: extension(2, laterMs) });
      expect([outOfOrder.status, outOfOrder.text]).toEqual([409, expect.stringContaining("plan-out-of-order")]);
      await decideAndApply(environment, "thandi", { path, id: "extend-reconciliation", body: extension(0, reconcilesAtMs) });
      await decideAndApply(environment, "thandi", { path, id: "extend-window", body: extension(2, laterMs) });

      await untilHolds(() => expect(machineTime.nowMs()).toBeGreaterThan(closesAtMs + 300), closesAtMs - machineTime.nowMs() + 5_000);
      expect(windowsOf(await today())).toMatchObject([{ state: "closed" }, { state: "open", closedAt: null }]);
      const resumed = await sluice("thandi", ["bank", "resume", "acacia", "--reason", "It is ready."]);
      expect(resumed).toMatchObject({ code: 0, body: { judged: { result: "applied" } } });
      const debit = caseFor("on-us", "extended", "acacia");
      await untilState(environment, debit.uetr, "DELIVERED");
      await submitReport(debit);
      const { transitions } = await untilState(environment, debit.uetr, "COMPLETED");
      const releasedAtMs = transitions.find(({ state }) => state === "RELEASED")?.atMs ?? 0;
      expect([releasedAtMs > closesAtMs, releasedAtMs < laterMs + 1_000]).toEqual([true, true]);

      const row = await untilHolds(
        async () => {
          const shown = await today();
          expect(shown).toMatchObject({ reconciliation: { closedAt: expect.any(String) } });
          return shown;
        },
        reconcilesAtMs - machineTime.nowMs() + 60_000,
      );
      const [first, second] = windowsOf(row);
      expect(msOf(first?.["closedAt"])).toBeGreaterThanOrEqual(firstClosesAtMs);
      expect(msOf(second?.["openedAt"])).toBeGreaterThanOrEqual(opensAtMs);
      expect(msOf(second?.["closedAt"])).toBeGreaterThanOrEqual(laterMs);
      expect(readMembers(row, "putBacks")).toMatchObject([
        { window: 0, operator: "thandi" },
        { window: 2, operator: "thandi" },
      ]);
      for (const { madeAt } of readRows(await askControl(environment, "zola", `/reconciliation?day=${day}&row=9`))) {
        expect(msOf(madeAt)).toBeGreaterThanOrEqual(reconcilesAtMs);
      }
    },
  );

  test("I10: the close leaves exactly the unresolved transactions as items, each with its row, cause and evidence [7.3] [7.5] [7.7] [7.8] [7.9] [D9 items] [D7 RECONCILIATION]", async () => {
    const expected = unresolvedDebits.map((part) => {
      const { uetr } = plannedCase(part);
      return { uetr, bank: part.bank, flow: part.flow, amount: part.amount, row: part.row, cause: part.cause, isOpen: true };
    });
    const inOrder = expected.toSorted((a, b) => (a.uetr < b.uetr ? -1 : 1));
    await untilHolds(async () => {
      const found: JsonBody[] = [];
      for (let next: unknown = ""; typeof next === "string";) {
        const after = next === "" ? "" : `&after=${encodeURIComponent(next)}`;
        const page = await askControl(environment, "zola", `/reconciliation?day=${day}&open=true&limit=5${after}`);
        found.push(...readRows(page));
        next = page["next"];
      }
      expect(found.map(({ uetr, bank, flow, amount, row, cause, isOpen }) => ({ uetr, bank, flow, amount, row, cause, isOpen }))).toEqual(
        inOrder,
      );
      const evidence = (name: string): unknown => found.find(({ uetr }) => uetr === plannedCase(partNamed(name)).uetr)?.["evidence"];
      expect([evidence("silent"), evidence("failing"), evidence("refused-for-good"), evidence("paused")]).toMatchObject([
        { anyAnswer: false, httpStatusCode: null, mayHaveBeenTaken: true },
        { anyAnswer: true, httpStatusCode: 503, isReceiverPaused: false },
        { anyAnswer: true, httpStatusCode: 400, attempts: 1 },
        null,
      ]);
    });
  });

  test("the items are counted and summed by bank, row and cause, and every accepted transaction is accounted for", async () => {
    const groups = Map.groupBy(unresolvedDebits, ({ bank, row, cause }) => JSON.stringify([bank, row, cause]));
    const expected = [...groups.values()].map((parts) => {
      const [{ bank, row, cause } = partNamed("silent")] = parts;
      const sum = sumAmounts(parts.map(({ amount }) => amount));
      return { bank, currency: "ZAR", row, cause, count: parts.length, sum, open: parts.length, openSum: sum };
    });
    const { rows } = await askControl(environment, "zola", `/reconciliation/summary?day=${day}`);
    expect(new Set(Array.isArray(rows) ? rows : [])).toEqual(new Set(expected));

    // The console folds the journal behind the items: until it has, a debit with an item counts as open, and the day is
    // whole.
    await untilHolds(async () => {
      const { code, body } = await sluice("zola", ["conservation", "--day", day]);
      expect({ code, body }).toMatchObject({ code: 0, body: { isWhole: true } });
      const cells = Object.fromEntries(readRows(body).map(({ bank, columns }) => [bank, columns]));
      expect(cells).toMatchObject({
        karoo: { accepted: { count: 6 }, completed: { count: 2 }, withdrawn: { count: 2, sum: "203.03" }, reconciled: { count: 2 } },
        marula: {
          accepted: { count: 4 },
          carriedOut: { count: 1, sum: heldOvernight },
          reconciled: { count: 3 },
          creditOpen: { count: 1 },
        },
        acacia: { accepted: { count: 1 }, completed: { count: 1, sum: "204.04" } },
      });
    });
  });

  test("a debit that may be carried over is HELD for the next date, with an event for it, and can be withdrawn there [D9 carry-over]", async () => {
    const { uetr } = carriedOver();
    const next = String((await today())["nextBusinessDate"]);
    await untilHolds(async () => {
      const { state, businessDate, reconciliationDay, transitions } = await loadTransaction(environment, uetr);
      expect([state, businessDate, reconciliationDay, transitions.length]).toEqual(["HELD", next, `ZA_EFT:${next}`, 5]);
    });
    await untilAllEvents(environment, carriedOver());
    const events = findStateEvents(environment, carriedOver()).map(({ message }) => [
      message["stageVersion"],
      message["type"],
      message["actionDate"],
    ]);
    expect(events.slice(3)).toEqual([
      [4, "DIRECT_DEBIT_HELD", environment.businessDate],
      [5, "DIRECT_DEBIT_HELD", next],
    ]);
    expect(readRows(await askControl(environment, "zola", `/held?bank=marula`))).toMatchObject([
      { day: `ZA_EFT:${next}`, count: 1, sum: heldOvernight },
    ]);
    const taken = await sluice("thandi", ["withdraw", uetr, "--reason", "The customer paid otherwise."]);
    expect(taken).toMatchObject({ code: 0, body: { key: uetr, judged: { result: "applied" } } });
    const again = await sluiceText("thandi", ["withdraw", uetr, "--reason", "The customer paid otherwise."]);
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining("not-in-this-state")]);
    const { items } = await untilState(environment, uetr, "RECONCILIATION");
    expect(items).toMatchObject([{ day: `ZA_EFT:${next}`, row: 0, cause: "WITHDRAWN" }]);
  });
});

describe("the reconciliation list", () => {
  const buildResolution = ({ day: ofDay, found }: { readonly day: string; readonly found: string }): JsonBody => ({
    reason: "Found out by telephone.",
    day: ofDay,
    resolution: found,
    ...(found === "REPLACED" ? { replacedBy: caseFor("on-us", "extended", "acacia").uetr } : {}),
  });
  const all = (): readonly {
    readonly about: E2eCase;
    readonly day: string;
    readonly found: string;
    readonly outcomeCode: string | null;
  }[] => [
    ...unresolvedDebits.map((part) => ({ about: plannedCase(part), day, found: part.resolution, outcomeCode: part.outcomeCode })),
    { about: shortCredit(), day: `ZA_RTC:${environment.businessDate}`, found: "MADE", outcomeCode: "ACSC" },
  ];

  test("I5: one operator resolves it and another confirms, never the same; no outcome report is sent before that [D9 resolution] [D9 second-person]", async () => {
    await untilState(environment, shortCredit().uetr, "CREDIT_AUTH_RECONCILIATION");
    await Promise.all(
      all().map(({ about, ...found }) =>
        decideAndApply(environment, "thandi", {
          path: `/transactions/${about.uetr}/resolution`,
          id: `resolve-${about.uetr}`,
          body: buildResolution(found),
        }),
      ),
    );
    const reported = (): number => all().reduce((count, { about }) => count + findResolutionReports(about).length, 0);
    expect(reported()).toBe(0);
    const [first] = all();
    const { uetr } = first?.about ?? never();
    const confirmation = {
      path: `/transactions/${uetr}/resolution/confirmation`,
      body: { reason: "Seen.", ...(await findProposal(environment, uetr)) },
    };
    const own = await decideOnce(environment, "thandi", { ...confirmation, id: "confirm-own" });
    expect([own.status, own.text]).toEqual([409, expect.stringContaining("same-person")]);
    await Promise.all(
      all().map(async ({ about }) =>
        decideAndApply(environment, "sipho", {
          path: `/transactions/${about.uetr}/resolution/confirmation`,
          id: `confirm-${about.uetr}`,
          body: { reason: "Seen and agreed.", ...(await findProposal(environment, about.uetr)) },
        }),
      ),
    );
    for (const { about } of all()) expect((await loadTransaction(environment, about.uetr)).state).toMatch(/RECONCILIATION$/);
  });

  test("once a resolution is final the connector gets one outcome report, and no bank gets any [D9 resolution]", async () => {
    await untilHolds(() => {
      for (const { about, outcomeCode: reported } of all()) {
        const expected = reported === null ? [] : [[202, reported]];
        const found = findResolutionReports(about).map(({ status, message }) => [status, codeOf(message)]);
        expect([about.uetr, found]).toEqual([about.uetr, expected]);
      }
    });
    expect(findOutcomeReports(environment, shortCredit()).map(({ webhookId, message }) => [webhookId, codeOf(message)])).toEqual([
      [outgoingIdentification(shortCredit(), "O1"), "PDNG"],
      [outgoingIdentification(shortCredit(), "O2"), "ACSC"],
    ]);
    const { rows } = await askControl(environment, "zola", `/reconciliation/summary?day=${day}`);
    expect(rows).toMatchObject(Array.from({ length: 9 }, () => ({ open: 0, openSum: "0.00" })));
  });

  test("is exported as CSV, JSON and ISO 20022 message, complete in each, without a name or an account", async () => {
    const path = `/reconciliation/export?day=${day}&format=`;
    const [csv, json, iso] = await Promise.all(
      ["csv", "json", "iso20022"].map((format) => askControlText(environment, "zola", `${path}${format}`)),
    );
    const texts = [csv, json, iso].map((one) => one?.text ?? "");
    for (const secret of ["Mokoena", "Karoo Insurance", validAccount(1), "62001872440", "1234567890"]) {
      for (const text of texts) expect(text).not.toContain(secret);
    }
    const uetrs = unresolvedDebits.map((part) => plannedCase(part).uetr).toSorted();

    const [head = "", ...lines] = (texts[0] ?? "").trimEnd().split(/\r?\n/);
    const columns = head.split(",");
    const rows = lines.map((line) => Object.fromEntries(line.split(",").map((cell, index) => [columns[index] ?? "", cell])));
    expect(rows.map(({ uetr }) => uetr)).toEqual(uetrs);
    const listed: JsonBody = JSON.parse(texts[1] ?? "{}");
    expect(readRows(listed).map(({ uetr }) => uetr)).toEqual(uetrs);
    for (const part of unresolvedDebits) {
      const { uetr } = plannedCase(part);
      const { row, cause, amount, resolution } = part;
      const inCsv = rows.find((line) => line["uetr"] === uetr);
      const isFinal = { isResolutionFinal: "true", resolvedBy: "thandi", confirmedBy: "sipho" };
      expect(inCsv).toMatchObject({ row: String(row), cause: cause ?? "", amount, resolution, ...isFinal });
      const inJson = readRows(listed).find((line) => line["uetr"] === uetr);
      expect(inJson).toMatchObject({
        row,
        cause,
        amount,
        resolution: { kind: resolution, isFinal: true, confirmed: { action: { operator: "sipho" } } },
      });
    }
    const entries = (texts[2] ?? "").split("<TxInfAndSts>").slice(1);
    const reported = entries.map((entry) => [/<OrgnlUETR>(.*)</.exec(entry)?.[1], /<TxSts>(.*)</.exec(entry)?.[1]]);
    const expected = unresolvedDebits.map((part) => [plannedCase(part).uetr, part.resolution === "MADE" ? "ACSC" : "RJCT"]);
    expect(reported).toEqual(expected.toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)));
  });

  test("is the same on the command line: list, show and export", async () => {
    const { uetr } = plannedCase(partNamed("silent"));
    const [list, show, exported] = await Promise.all([
      sluice("zola", ["reconciliation", "list", "--day", day, "--row", "7"]),
      sluice("zola", ["reconciliation", "show", uetr]),
      sluiceText("zola", ["reconciliation", "export", "--day", day, "--format", "csv"]),
    ]);
    expect(list).toMatchObject({ code: 0, body: { rows: [{ uetr, row: 7, isOpen: false }] } });
    expect(show).toMatchObject({ code: 0, body: { uetr, items: [{ row: 7, resolution: { kind: "MADE" } }] } });
    const { text } = await askControlText(environment, "zola", `/reconciliation/export?day=${day}&format=csv`);
    expect([exported.code, exported.stdout]).toEqual([0, text]);
  });
});

describe("the whole history", () => {
  test("D9: a bank that was paused over the close gets its waiting messages in order when it is resumed [D9 pause]", async () => {
    const debit = caseFor("on-us", "paused", "protea");
    const before = findStateEvents(environment, debit).length;
    await decideAndApply(environment, "thandi", { path: "/banks/protea/resume", id: "resume-protea", body: { reason: "It is back." } });
    const events = await untilAllEvents(environment, debit);
    expect([before, events.length, enteredStates(await loadTransaction(environment, debit.uetr)).at(-1)]).toEqual([4, 5, "RECONCILIATION"]);
    expect(findReceived(environment, "protea", "inboundDirectDebit", debit.uetr)).toEqual([]);
  });

  test("I3, I9: every decision is in the journal as often as it was sent and counted once; every window opened once and closed once", async () => {
    const history = await environment.history();
    const actions = findActions(history);
    const sent = environment.recorded.sentEntries().filter(({ operation }) => operation === "operatorAction");
    for (const [id, { key, count }] of actions) {
      const notes = (await loadDecisionNotes(environment, key)).filter((note) => note.action.id === id);
      expect([id, notes.map(({ result }) => result)]).toEqual([id, ["applied"]]);
      expect(count).toBeGreaterThanOrEqual(sent.filter(({ messageIdentification }) => messageIdentification === id).length);
    }
    expect(actions.size).toBeGreaterThanOrEqual(30);
    expect(findMarkerNumbers(history, environment.businessDate)).toEqual({
      WindowOpened: [1, 2],
      WindowClosed: [1, 2],
      CreditsDeclared: [1],
      GateOpened: [1, 2],
      DayReconciled: [1],
      "BankPaused acacia": [1],
      "BankPaused protea": [1],
      "BankResumed acacia": [1],
      "BankResumed protea": [1],
    });
  });

  test("I1, I3, I4, I5, I6, I8, I9, I10: the checker finds nothing, no service ended by itself, and all requests match the document", async () => {
    await untilHolds(async () => {
      const { violations, counts } = await environment.check();
      expect(violations).toEqual([]);
      expect(counts["transactionsFollowed"]).toBe(size());
    });
    expect(environment.services.lost()).toEqual([]);
    expect(findDocumentViolations(environment).complaints).toEqual([]);
  });
});

function partNamed(name: string): (typeof unresolvedDebits)[number] {
  return unresolvedDebits.find((part) => part.name === name) ?? never();
}

function never(): never {
  throw new Error("nobody plays this part");
}

function closesOf(reconciliation: unknown): unknown {
  return typeof reconciliation === "object" && reconciliation !== null ? Reflect.get(reconciliation, "closes") : undefined;
}

function codeOf(message: JsonBody): unknown {
  const { status } = message;
  return typeof status === "object" && status !== null ? Reflect.get(status, "code") : undefined;
}

/** Finds the outcome reports to the connector, except the one that says pending. */
function findResolutionReports(about: E2eCase): ReturnType<typeof findOutcomeReports> {
  return findOutcomeReports(environment, about).filter(({ message }) => codeOf(message) !== "PDNG");
}
