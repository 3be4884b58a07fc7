// A business day that people steer, on real servers and real processes: two windows, a gate opened by hand and one that stays closed, a bank paused
// over its windows and one resumed in time, debits taken back, a delivery tried again, a close put back while it comes nearer. What the day leaves
// is found on the list, whole, and resolved by two people. Console and scheduler are killed while decisions are under way; every decision is sent
// twice, and counts once.

import { machineTime } from "@sluice/runtime";
import { goodAccount } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask } from "./calls.ts";
import { createCast } from "./cast.ts";
import { runCommandLine } from "./command-line.ts";
import { documentComplaints, receivedBy, statesOf, transactionOf, until, untilState, type Body } from "./evidence.ts";
import { stateEventsOf, untilAllEvents } from "./events.ts";
import { identificationOf, type Case } from "./flows.ts";
import { actionsIn, markersIn, notesOn } from "./journal-of-decisions.ts";
import { banks, ended, left, people, sumOf, untaken, type BankId, type Part } from "./operators-day.ts";
import { carryOut, decide, decideOnce, look, lookText, membersOf, rowsOf, untilJudged } from "./people.ts";
import { inboundOf, outcomesOf } from "./told.ts";
import { openWorld, type World } from "./world.ts";

const opened = new AsyncDisposableStack();
let world: World;
let day: string;
const { caseOf, take, takeReport, size } = createCast(() => world, banks);
const debits: readonly Part[] = [...left, ...ended];
const [withdrawn, heldOvernight] = [{ name: "withdrawn", bank: "karoo" }, "301.01"] as const;

beforeAll(async () => {
  world = opened.use(await openWorld(banks, "connector", { furtherWindows: [{ opens: "20:15", closes: "20:45" }], operators: people }));
  day = `ZA_EFT:${world.businessDate}`;
});
afterAll(() => opened.disposeAsync());

function partCase({ flow, name, bank, amount }: Part): Case {
  return caseOf(flow, name, bank, { amount });
}

/** A credit that its bank never reports on. */
function unreportedCredit(bank: BankId): Case {
  return caseOf("credit", "unreported", bank);
}

/** Of another scheme, whose deadline is the shortest that there is. */
function shortCredit(): Case {
  return caseOf("credit", "short", "karoo", { scheme: "ZA_RTC" });
}

function rolling(): Case {
  return caseOf("on-us", "rolling", "marula", { amount: heldOvernight });
}

async function today(): Promise<Body> {
  const [row] = rowsOf(await look(world, "zola", `/windows?scheme=ZA_EFT&from=${world.businessDate}&to=${world.businessDate}`));
  return row ?? {};
}

async function gates(): Promise<Readonly<Record<string, unknown>>> {
  return Object.fromEntries(membersOf(await today(), "gates").map(({ bank, reason }) => [bank, reason]));
}

/** `./sluice` against this world, as one of its people; what it says with --json. */
async function sluice(who: string, words: readonly string[]): Promise<{ readonly code: number | null; readonly body: Body }> {
  const { code, stdout, stderr } = await sluiceText(who, [...words, "--json"]);
  expect([words[0], stderr]).toEqual([words[0], ""]);
  const body: Body = JSON.parse(stdout);
  return { code, body };
}

function sluiceText(who: string, words: readonly string[]): ReturnType<typeof runCommandLine> {
  return runCommandLine([...words, "--console", world.services.controlUrl], { SLUICE_OPERATOR_TOKEN: world.operator(who).token });
}

describe("what waits", () => {
  test("is found by any of its terms, page by page, each once", async () => {
    for (const part of debits) {
      const debit = partCase(part);
      const script = part.name === "untaken" ? untaken : part.script;
      const party = part.flow === "off-us" && part.name === "untaken" ? world.connector : world.bank(part.bank);
      if (script !== null) party.script([{ ...script, uetr: debit.uetr }]);
    }
    const credits = [unreportedCredit("kudu"), unreportedCredit("marula"), shortCredit()];
    await Promise.all([...credits, ...debits.map(partCase)].map(take));
    // From here on what is missed goes over to the next date.
    for (const part of debits) await untilState(world, partCase(part).uetr, part.name === "unheard" ? "ACCEPTED" : "HELD");
    await world.plan({ onMissedWindow: "roll" });
    await world.services.restart("validator");
    await take(rolling());
    await untilState(world, rolling().uetr, "HELD");
    for (const bank of ["kudu", "marula"] as const) await untilState(world, unreportedCredit(bank).uetr, "CREDIT_AUTH_DELIVERED");

    const found: string[] = [];
    for (let next: unknown = ""; typeof next === "string";) {
      const after = next === "" ? "" : `&after=${encodeURIComponent(next)}`;
      const page = await look(world, "zola", `/transactions?scheme=ZA_EFT&state=HELD&limit=4${after}`);
      found.push(...rowsOf(page).map(({ uetr }) => String(uetr)));
      next = page["next"];
    }
    const held = [...debits.filter(({ name }) => name !== "unheard").map(partCase), rolling()];
    expect(found).toEqual(held.map(({ uetr }) => uetr).toSorted());
    const [unheard] = left.filter(({ name }) => name === "unheard");
    for (const terms of ["amount=107.07&currency=ZAR", "state=ACCEPTED&bank=marula", "bank=marula&flow=on-us&amount=107.07"]) {
      const rows = rowsOf(await look(world, "zola", `/transactions?${terms}`));
      expect([terms, rows]).toMatchObject([terms, [{ uetr: unheard === undefined ? "" : partCase(unheard).uetr, state: "ACCEPTED" }]]);
    }
  });

  test("only people with the role for it decide, and banks are not known here", async () => {
    const bank = "karoo";
    const decision = { path: `/banks/${bank}/pause`, id: "not-allowed", body: { reason: "Nobody may." } };
    const statuses = [];
    for (const who of ["zola", "sipho"]) statuses.push((await decideOnce(world, who, decision)).status);
    const confirmation = `/transactions/${partCase(debits[0] ?? never()).uetr}/resolution/confirmation`;
    statuses.push(
      (await decideOnce(world, "zola", { path: confirmation, id: "not-allowed", body: { reason: "-", confirms: "x" } })).status,
    );
    statuses.push((await ask(world, world.operator("thandi").token, `/transactions/${rolling().uetr}`)).status);
    expect(statuses).toEqual([403, 403, 403, 401]);
  });

  test("I3: decisions that a console is killed over take effect, each once: two debits withdrawn, two banks paused [D9 withdrawn] [D9 pause]", async () => {
    const withdrawals = (["on-us", "off-us"] as const).map((flow) => {
      const { uetr } = caseOf(flow, withdrawn.name, withdrawn.bank);
      return { path: `/transactions/${uetr}/withdrawal`, id: `withdraw-${flow}`, body: { reason: "Sent with the wrong file." } };
    });
    const pause = { path: "/banks/protea/pause", id: "pause-protea", body: { reason: "Its system is being moved." } };
    const deciding = Promise.all([...withdrawals, pause].map((decision) => carryOut(world, "thandi", decision)));
    await world.services.kill("console");
    await world.services.start("console");
    const [paused] = await Promise.all([sluice("thandi", ["bank", "pause", "acacia", "--reason", "Asked for by the bank."]), deciding]);
    expect(paused).toMatchObject({ code: 0, body: { key: "bank:acacia", judged: { result: "applied" } } });
    for (const flow of ["on-us", "off-us"] as const) {
      await untilState(world, caseOf(flow, withdrawn.name, withdrawn.bank).uetr, "RECONCILIATION");
    }
  });

  test("why it waits is said for each bank: its pause, or the gate, and what that waits for", async () => {
    const asked = await look(world, "zola", `/held?day=${day}`);
    const expected = banks.map(({ id: bank }) => {
      const held = debits.filter((part) => part.bank === bank && !["withdrawn", "unheard"].includes(part.name)).map(({ amount }) => amount);
      const amounts = bank === "marula" ? [...held, heldOvernight] : held;
      const isPaused = bank === "protea" || bank === "acacia";
      const why = isPaused ? "the bank is paused by an operator" : "gate closed: credits not declared (declared by the connector)";
      return { bank, day, count: amounts.length, sum: sumOf(amounts), waitsFor: isPaused ? "bank-paused" : "gate", why };
    });
    expect(rowsOf(asked)).toMatchObject(expected.toSorted((a, b) => (a.bank < b.bank ? -1 : 1)));
  });
});

describe("the gate", () => {
  const declaration = { path: "", id: "credits-final", body: { reason: "The clearing house confirmed it by telephone." } };

  test("I8: a declaration by an operator is kept while no scheduler runs, and takes effect once when one does [D9 credits-final]", async () => {
    await world.services.kill("scheduler");
    const path = `/days/ZA_EFT/${world.businessDate}/credits-final`;
    expect(await decide(world, "thandi", { ...declaration, path })).toBe(day);
    expect((await lookText(world, "zola", `/actions/credits-final?key=${day}`)).status).toBe(404);
    const [windows, held, search] = await Promise.all([
      sluice("zola", ["windows", "--scheme", "ZA_EFT", "--from", world.businessDate]),
      sluice("zola", ["held", "--bank", "kudu"]),
      sluice("zola", ["search", "--bank", "baobab", "--state", "HELD"]),
    ]);
    expect([windows.code, held.code, search.code]).toEqual([0, 0, 0]);
    expect(rowsOf(windows.body)).toHaveLength(8);
    expect(rowsOf(held.body)).toMatchObject([{ bank: "kudu", count: 2 }]);
    expect(rowsOf(search.body)).toHaveLength(2);
    await world.services.start("scheduler");
    expect(await untilJudged(world, day, "credits-final")).toMatchObject({ result: "applied" });
    const { declarations, windows: planned } = await today();
    expect([declarations, planned]).toMatchObject([[{ bank: null, declaredBy: "operator" }], [{ state: "open" }, { state: "planned" }]]);
  });

  test("I8: a bank's gate stays closed over its credit, which is named; a person who names it opens that gate alone [D9 gate-by-hand]", async () => {
    const [ofKudu, ofMarula] = [unreportedCredit("kudu").uetr, unreportedCredit("marula").uetr];
    const closedFor = (uetr: string): string => `1 credit unresolved: ${uetr}`;
    const open = { karoo: null, baobab: null, protea: null, acacia: null };
    await until(async () => expect(await gates()).toEqual({ ...open, kudu: closedFor(ofKudu), marula: closedFor(ofMarula) }));
    const path = `/days/ZA_EFT/${world.businessDate}/gate-opening`;
    const body = { reason: "The bank booked it and cannot report today.", bank: "kudu", credits: [ofMarula] };
    const unnamed = await decideOnce(world, "thandi", { path, id: "gate-unnamed", body });
    expect([unnamed.status, unnamed.text]).toEqual([409, expect.stringContaining(`Not named: ${ofKudu}`)]);
    await carryOut(world, "thandi", { path, id: "gate-kudu", body: { ...body, credits: [ofKudu] } });
    await untilState(world, caseOf("on-us", "by-hand", "kudu").uetr, "DELIVERED");
    expect(await gates()).toEqual({ ...open, kudu: null, marula: closedFor(ofMarula) });
    for (const name of ["gate-closed", "rolling"]) {
      expect((await transactionOf(world, caseOf("on-us", name, "marula").uetr)).state).toBe("HELD");
    }
    await takeReport(caseOf("on-us", "by-hand", "kudu"));
  });
});

describe("what was refused", () => {
  test("is shown at once with the bank's answer, beside what is still tried; tried again by hand it ends well [7.3] [D9 items]", async () => {
    const debit = caseOf("on-us", "redriven", "karoo");
    const asItem = { uetr: debit.uetr, row: 3, isOpen: true, state: "RELEASED", evidence: { httpStatusCode: 400 } };
    await until(async () => {
      const early = await look(world, "zola", `/reconciliation?day=${day}&row=3&bank=karoo`);
      expect(rowsOf(early)).toMatchObject([asItem]);
    });
    const { code, body } = await sluice("zola", ["undelivered", "--bank", "karoo"]);
    expect([code, rowsOf(body)]).toMatchObject([0, [{ uetr: debit.uetr, standing: "refused", recentAttempts: [{ httpStatusCode: 400 }] }]]);
    const redrive = { reason: "The bank has mended it.", messageIdentification: identificationOf(debit, "D") };
    await carryOut(world, "thandi", { path: `/transactions/${debit.uetr}/redrive`, id: "redrive-debit", body: redrive });
    await untilState(world, debit.uetr, "DELIVERED");
    const tries = inboundOf(world, debit);
    expect(tries.map(({ status, webhookId }) => [status, webhookId])).toEqual(
      [400, 202].map((status) => [status, identificationOf(debit, "D")]),
    );
    expect(new Set(tries.map(({ bodyHash }) => bodyHash)).size).toBe(1);
    await takeReport(debit);
    await untilState(world, debit.uetr, "COMPLETED");
  });

  test("by the connector: an outcome stands beside the ended debit until it is tried again and taken [D7 OUTCOME_UNDELIVERED]", async () => {
    const debit = caseOf("off-us", "untaken", "karoo");
    await untilState(world, debit.uetr, "DELIVERED");
    await takeReport(debit);
    await untilState(world, debit.uetr, "COMPLETED");
    const items = async () => (await transactionOf(world, debit.uetr)).items;
    await until(async () => expect(await items()).toMatchObject([{ row: 3, cause: "OUTCOME_UNDELIVERED", settledAtMs: null }]));
    const redrive = { reason: "The connector was given the new code list.", messageIdentification: identificationOf(debit, "O1") };
    await carryOut(world, "thandi", { path: `/transactions/${debit.uetr}/redrive`, id: "redrive-outcome", body: redrive });
    await until(async () => expect(await items()).toMatchObject([{ settledAtMs: expect.any(Number) }]));
    expect(outcomesOf(world, debit).map(({ status }) => status)).toEqual([400, 202]);
  });

  test("or not answered is counted for each bank, with the time to the close", async () => {
    await takeReport(caseOf("off-us", "unreported", "karoo"), { outcome: "pending" });
    await until(async () => {
      const shown = rowsOf(await look(world, "zola", "/undelivered")).filter((row) => row["day"] === day);
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
  /** As slow as this machine is at starting services, so that what has to happen before a time can. */
  const paceMs = (): number => Math.min(Math.max(world.services.startedInMs, 4_000), 30_000);
  const wholeSecond = (atMs: number): number => Math.ceil(atMs / 1_000) * 1_000;
  const instant = (atMs: number): string => Temporal.Instant.fromEpochMilliseconds(atMs).toString();
  const msOf = (text: unknown): number => Temporal.Instant.from(String(text)).epochMilliseconds;
  const windowsOf = (row: Body): readonly Body[] => membersOf(row, "windows");

  test(
    "I9: put back while it comes nearer, it comes later, and the reconciliation with it; in the time won a resumed bank gets its debit [D9 put-back] [D9 pause] [D9 several-windows]",
    { timeout: 600_000 },
    async () => {
      const firstClosesAtMs = wholeSecond(machineTime.nowMs() + paceMs());
      const opensAtMs = firstClosesAtMs + 1_000;
      const closesAtMs = opensAtMs + wholeSecond(Math.max(5_000, paceMs()));
      const laterMs = closesAtMs + wholeSecond(Math.max(6_000, 1.5 * paceMs()));
      const reconcilesAtMs = laterMs + 2_000;
      const windows = [
        { opens: "08:00", closes: world.localTime(firstClosesAtMs) },
        { opens: world.localTime(opensAtMs), closes: world.localTime(closesAtMs) },
      ];
      await world.plan({ windows, reconciliation: world.localTime(closesAtMs + 1_000) });
      await world.services.restart("scheduler");
      await until(async () => expect(msOf(windowsOf(await today())[1]?.["closes"])).toBe(closesAtMs));

      const path = `/days/ZA_EFT/${world.businessDate}/close-extension`;
      const putBack = (window: number, atMs: number): Body => ({ reason: "A bank needs an hour more.", window, closesAt: instant(atMs) });
      const outOfOrder = await decideOnce(world, "thandi", { path, id: "too-soon", body: putBack(2, laterMs) });
      expect([outOfOrder.status, outOfOrder.text]).toEqual([409, expect.stringContaining("plan-out-of-order")]);
      await carryOut(world, "thandi", { path, id: "put-back-reconciliation", body: putBack(0, reconcilesAtMs) });
      await carryOut(world, "thandi", { path, id: "put-back-window", body: putBack(2, laterMs) });

      await until(() => expect(machineTime.nowMs()).toBeGreaterThan(closesAtMs + 300), closesAtMs - machineTime.nowMs() + 5_000);
      expect(windowsOf(await today())).toMatchObject([{ state: "closed" }, { state: "open", closedAt: null }]);
      const resumed = await sluice("thandi", ["bank", "resume", "acacia", "--reason", "It is ready."]);
      expect(resumed).toMatchObject({ code: 0, body: { judged: { result: "applied" } } });
      const debit = caseOf("on-us", "put-back", "acacia");
      await untilState(world, debit.uetr, "DELIVERED");
      await takeReport(debit);
      const { transitions } = await untilState(world, debit.uetr, "COMPLETED");
      const releasedAtMs = transitions.find(({ state }) => state === "RELEASED")?.atMs ?? 0;
      expect([releasedAtMs > closesAtMs, releasedAtMs < laterMs + 1_000]).toEqual([true, true]);

      const row = await until(
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
      expect(membersOf(row, "putBacks")).toMatchObject([
        { window: 0, operator: "thandi" },
        { window: 2, operator: "thandi" },
      ]);
      for (const { madeAt } of rowsOf(await look(world, "zola", `/reconciliation?day=${day}&row=9`))) {
        expect(msOf(madeAt)).toBeGreaterThanOrEqual(reconcilesAtMs);
      }
    },
  );

  test("I10: leaves exactly what is unresolved, each under its row and cause, with its evidence [7.3] [7.5] [7.7] [7.8] [7.9] [D9 items] [D7 RECONCILIATION]", async () => {
    const expected = left.map((part) => {
      const { uetr } = partCase(part);
      return { uetr, bank: part.bank, flow: part.flow, amount: part.amount, row: part.row, cause: part.cause, isOpen: true };
    });
    const inOrder = expected.toSorted((a, b) => (a.uetr < b.uetr ? -1 : 1));
    await until(async () => {
      const found: Body[] = [];
      for (let next: unknown = ""; typeof next === "string";) {
        const after = next === "" ? "" : `&after=${encodeURIComponent(next)}`;
        const page = await look(world, "zola", `/reconciliation?day=${day}&open=true&limit=5${after}`);
        found.push(...rowsOf(page));
        next = page["next"];
      }
      expect(found.map(({ uetr, bank, flow, amount, row, cause, isOpen }) => ({ uetr, bank, flow, amount, row, cause, isOpen }))).toEqual(
        inOrder,
      );
      const evidence = (name: string): unknown => found.find(({ uetr }) => uetr === partCase(partNamed(name)).uetr)?.["evidence"];
      expect([evidence("silent"), evidence("failing"), evidence("refused-for-good"), evidence("paused")]).toMatchObject([
        { anyAnswer: false, httpStatusCode: null, mayHaveBeenTaken: true },
        { anyAnswer: true, httpStatusCode: 503, isBankPaused: false },
        { anyAnswer: true, httpStatusCode: 400, attempts: 1 },
        null,
      ]);
    });
  });

  test("its items are counted and summed by bank, row and cause, and all that was accepted is accounted for", async () => {
    const groups = Map.groupBy(left, ({ bank, row, cause }) => JSON.stringify([bank, row, cause]));
    const expected = [...groups.values()].map((parts) => {
      const [{ bank, row, cause } = partNamed("silent")] = parts;
      const sum = sumOf(parts.map(({ amount }) => amount));
      return { bank, currency: "ZAR", row, cause, count: parts.length, sum, open: parts.length, openSum: sum };
    });
    const { rows } = await look(world, "zola", `/reconciliation/summary?day=${day}`);
    expect(new Set(Array.isArray(rows) ? rows : [])).toEqual(new Set(expected));

    const { code, body } = await until(async () => {
      const said = await sluice("zola", ["conservation", "--day", day]);
      expect(said).toMatchObject({ code: 0, body: { isWhole: true } });
      return said;
    });
    expect(code).toBe(0);
    const cells = Object.fromEntries(rowsOf(body).map(({ bank, columns }) => [bank, columns]));
    expect(cells).toMatchObject({
      karoo: { accepted: { count: 6 }, completed: { count: 2 }, withdrawn: { count: 2, sum: "203.03" }, reconciled: { count: 2 } },
      marula: { accepted: { count: 4 }, rolledOut: { count: 1, sum: heldOvernight }, reconciled: { count: 3 }, creditOpen: { count: 1 } },
      acacia: { accepted: { count: 1 }, completed: { count: 1, sum: "204.04" } },
    });
  });

  test("what may go over is held again for the next date: a further event with that date, and it can be taken back there [D9 roll]", async () => {
    const { uetr } = rolling();
    const next = String((await today())["nextBusinessDate"]);
    await until(async () => {
      const { state, businessDate, closesWith, transitions } = await transactionOf(world, uetr);
      expect([state, businessDate, closesWith, transitions.length]).toEqual(["HELD", next, `ZA_EFT:${next}`, 5]);
    });
    await untilAllEvents(world, rolling());
    const events = stateEventsOf(world, rolling()).map(({ message }) => [message["stageVersion"], message["type"], message["actionDate"]]);
    expect(events.slice(3)).toEqual([
      [4, "DIRECT_DEBIT_HELD", world.businessDate],
      [5, "DIRECT_DEBIT_HELD", next],
    ]);
    expect(rowsOf(await look(world, "zola", `/held?bank=marula`))).toMatchObject([{ day: `ZA_EFT:${next}`, count: 1, sum: heldOvernight }]);
    const taken = await sluice("thandi", ["withdraw", uetr, "--reason", "The customer paid otherwise."]);
    expect(taken).toMatchObject({ code: 0, body: { key: uetr, judged: { result: "applied" } } });
    const again = await sluiceText("thandi", ["withdraw", uetr, "--reason", "The customer paid otherwise."]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("not-in-this-state")]);
    const { items } = await untilState(world, uetr, "RECONCILIATION");
    expect(items).toMatchObject([{ day: `ZA_EFT:${next}`, row: 0, cause: "WITHDRAWN" }]);
  });
});

describe("the list", () => {
  const resolutionOf = ({ day: ofDay, found }: { readonly day: string; readonly found: string }): Body => ({
    reason: "Found out by telephone.",
    day: ofDay,
    resolution: found,
    ...(found === "REPLACED" ? { replacedBy: caseOf("on-us", "put-back", "acacia").uetr } : {}),
  });
  const all = (): readonly { readonly about: Case; readonly day: string; readonly found: string; readonly told: string | null }[] => [
    ...left.map((part) => ({ about: partCase(part), day, found: part.found, told: part.told })),
    { about: shortCredit(), day: `ZA_RTC:${world.businessDate}`, found: "MADE", told: "ACSC" },
  ];

  test("I5: is resolved by one person and confirmed by another, never by the same; nothing is told before that [D9 resolution] [D9 second-person]", async () => {
    await untilState(world, shortCredit().uetr, "CREDIT_AUTH_RECONCILIATION");
    await Promise.all(
      all().map(({ about, ...found }) =>
        carryOut(world, "thandi", {
          path: `/transactions/${about.uetr}/resolution`,
          id: `resolve-${about.uetr}`,
          body: resolutionOf(found),
        }),
      ),
    );
    const told = (): number => all().reduce((count, { about }) => count + resolutionsTold(about).length, 0);
    expect(told()).toBe(0);
    const [first] = all();
    const { uetr } = first?.about ?? never();
    const confirmation = { path: `/transactions/${uetr}/resolution/confirmation`, body: { reason: "Seen.", confirms: `resolve-${uetr}` } };
    const own = await decideOnce(world, "thandi", { ...confirmation, id: "confirm-own" });
    expect([own.status, own.text]).toEqual([409, expect.stringContaining("same-person")]);
    await Promise.all(
      all().map(({ about }) =>
        carryOut(world, "sipho", {
          path: `/transactions/${about.uetr}/resolution/confirmation`,
          id: `confirm-${about.uetr}`,
          body: { reason: "Seen and agreed.", confirms: `resolve-${about.uetr}` },
        }),
      ),
    );
    for (const { about } of all()) expect((await transactionOf(world, about.uetr)).state).toMatch(/RECONCILIATION$/);
  });

  test("once it is final the connector is told what people found, once, and no bank hears of it [D9 resolution]", async () => {
    await until(() => {
      for (const { about, told } of all()) {
        const expected = told === null ? [] : [[202, told]];
        const found = resolutionsTold(about).map(({ status, message }) => [status, codeOf(message)]);
        expect([about.uetr, found]).toEqual([about.uetr, expected]);
      }
    });
    expect(outcomesOf(world, shortCredit()).map(({ webhookId, message }) => [webhookId, codeOf(message)])).toEqual([
      [identificationOf(shortCredit(), "O1"), "PDNG"],
      [identificationOf(shortCredit(), "O2"), "ACSC"],
    ]);
    const { rows } = await look(world, "zola", `/reconciliation/summary?day=${day}`);
    expect(rows).toMatchObject(Array.from({ length: 9 }, () => ({ open: 0, openSum: "0.00" })));
  });

  test("leaves as CSV, as JSON and as ISO 20022 message, whole in each, without a name or an account", async () => {
    const path = `/reconciliation/export?day=${day}&format=`;
    const [csv, json, iso] = await Promise.all(["csv", "json", "iso20022"].map((format) => lookText(world, "zola", `${path}${format}`)));
    const texts = [csv, json, iso].map((one) => one?.text ?? "");
    for (const secret of ["Mokoena", "Karoo Insurance", goodAccount(1), "62001872440", "1234567890"]) {
      for (const text of texts) expect(text).not.toContain(secret);
    }
    const uetrs = left.map((part) => partCase(part).uetr).toSorted();

    const [head = "", ...lines] = (texts[0] ?? "").trimEnd().split(/\r?\n/);
    const columns = head.split(",");
    const rows = lines.map((line) => Object.fromEntries(line.split(",").map((cell, index) => [columns[index] ?? "", cell])));
    expect(rows.map(({ uetr }) => uetr)).toEqual(uetrs);
    const listed: Body = JSON.parse(texts[1] ?? "{}");
    expect(rowsOf(listed).map(({ uetr }) => uetr)).toEqual(uetrs);
    for (const part of left) {
      const { uetr } = partCase(part);
      const { row, cause, amount, found } = part;
      const inCsv = rows.find((line) => line["uetr"] === uetr);
      const isFinal = { isResolutionFinal: "true", resolvedBy: "thandi", confirmedBy: "sipho" };
      expect(inCsv).toMatchObject({ row: String(row), cause: cause ?? "", amount, resolution: found, ...isFinal });
      const inJson = rowsOf(listed).find((line) => line["uetr"] === uetr);
      expect(inJson).toMatchObject({
        row,
        cause,
        amount,
        resolution: { kind: found, isFinal: true, confirmed: { action: { operator: "sipho" } } },
      });
    }
    const entries = (texts[2] ?? "").split("<TxInfAndSts>").slice(1);
    const told = entries.map((entry) => [/<OrgnlUETR>(.*)</.exec(entry)?.[1], /<TxSts>(.*)</.exec(entry)?.[1]]);
    const expected = left.map((part) => [partCase(part).uetr, part.found === "MADE" ? "ACSC" : "RJCT"]);
    expect(told).toEqual(expected.toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)));
  });

  test("is the same on the command line: list, show and export", async () => {
    const { uetr } = partCase(partNamed("silent"));
    const [list, show, exported] = await Promise.all([
      sluice("zola", ["reconciliation", "list", "--day", day, "--row", "7"]),
      sluice("zola", ["reconciliation", "show", uetr]),
      sluiceText("zola", ["reconciliation", "export", "--day", day, "--format", "csv"]),
    ]);
    expect(list).toMatchObject({ code: 0, body: { rows: [{ uetr, row: 7, isOpen: false }] } });
    expect(show).toMatchObject({ code: 0, body: { uetr, items: [{ row: 7, resolution: { kind: "MADE" } }] } });
    const { text } = await lookText(world, "zola", `/reconciliation/export?day=${day}&format=csv`);
    expect([exported.code, exported.stdout]).toEqual([0, text]);
  });
});

describe("the whole history", () => {
  test("D9: a bank that was paused over the close gets what waited for it when it is resumed, in order [D9 pause]", async () => {
    const debit = caseOf("on-us", "paused", "protea");
    const before = stateEventsOf(world, debit).length;
    await carryOut(world, "thandi", { path: "/banks/protea/resume", id: "resume-protea", body: { reason: "It is back." } });
    const events = await untilAllEvents(world, debit);
    expect([before, events.length, statesOf(await transactionOf(world, debit.uetr)).at(-1)]).toEqual([4, 5, "RECONCILIATION"]);
    expect(receivedBy(world, "protea", "inboundDirectDebit", debit.uetr)).toEqual([]);
  });

  test("I3, I9: every decision lies in the journal as often as it was sent, and counted once; every window opened once and closed once", async () => {
    const history = await world.history();
    const actions = actionsIn(history);
    const sent = world.recorded.sentEntries().filter(({ operation }) => operation === "operatorAction");
    for (const [id, { key, count }] of actions) {
      const notes = (await notesOn(world, key)).filter((note) => note.action.id === id);
      expect([id, notes.map(({ result }) => result)]).toEqual([id, ["applied"]]);
      expect(count).toBeGreaterThanOrEqual(sent.filter(({ messageIdentification }) => messageIdentification === id).length);
    }
    expect(actions.size).toBeGreaterThanOrEqual(30);
    expect(markersIn(history, world.businessDate)).toEqual({
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

  test("I1, I3, I4, I5, I6, I8, I9, I10: the checker finds nothing, no service ended by itself, and all was as the document says", async () => {
    await until(async () => {
      const { violations, counts } = await world.check();
      expect(violations).toEqual([]);
      expect(counts["transactionsFollowed"]).toBe(size());
    });
    expect(world.services.lost()).toEqual([]);
    expect(documentComplaints(world).complaints).toEqual([]);
  });
});

function partNamed(name: string): (typeof left)[number] {
  return left.find((part) => part.name === name) ?? never();
}

function never(): never {
  throw new Error("nobody plays this part");
}

function closesOf(reconciliation: unknown): unknown {
  return typeof reconciliation === "object" && reconciliation !== null ? Reflect.get(reconciliation, "closes") : undefined;
}

function codeOf(message: Body): unknown {
  const { status } = message;
  return typeof status === "object" && status !== null ? Reflect.get(status, "code") : undefined;
}

/** What the connector was told of it, but that it was pending. */
function resolutionsTold(about: Case): ReturnType<typeof outcomesOf> {
  return outcomesOf(world, about).filter(({ message }) => codeOf(message) !== "PDNG");
}
