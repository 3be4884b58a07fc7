// listWindows and listHeld: times, gates and why debits wait (decisions, section 9).

import { expect, test } from "vitest";
import { givenConsole, jsonOf, startAtMs, type World } from "./given.ts";
import {
  actionOf,
  answered,
  creditIn,
  dayAfter,
  declared,
  lanesPassed,
  opensFirst,
  plan,
  rowsOf,
  saveAll,
  saveDay,
  transactionIn,
  uetrInLane,
  uetrOf,
} from "./given-control.ts";
import type { DayFact } from "@sluice/domain";

const query = "/windows?from=2026-11-20&to=2026-11-20";

async function givenDay(facts: readonly DayFact[], atMs = startAtMs - 60_000): Promise<World> {
  const world = await givenConsole();
  await saveDay(world, dayAfter(facts, atMs));
  return world;
}

async function gateOf(world: World, bank: string): Promise<Readonly<Record<string, unknown>>> {
  const [row] = await rowsOf(world, query);
  const gates: unknown = row?.["gates"];
  const found = Array.isArray(gates) ? gates.find((gate: Readonly<Record<string, unknown>>) => gate["bank"] === bank) : undefined;
  return { ...found };
}

test("a day shows planned and actual times, and what was missed", async () => {
  const world = await givenDay([plan, declared, opensFirst()], plan.windows[0]?.opensAtMs ?? 0);
  const [row] = await rowsOf(world, query);
  expect(row).toMatchObject({
    day: "ZA_EFT:2026-11-20",
    windows: [
      { number: 1, state: "open", opens: "2026-11-20T07:00:00.000Z", openedAt: "2026-11-20T07:00:02.000Z", closedAt: null },
      { number: 2, state: "planned", openedAt: null },
    ],
    reconciliation: { closes: "2026-11-20T16:00:00.000Z", closedAt: null },
    declarations: [{ bank: null, declaredBy: "connector" }],
    nextBusinessDate: "2026-11-23",
  });
});

test("closes that were put back are shown with who, why and when, and what operators asked for with what came of it", async () => {
  const world = await givenConsole();
  const note = {
    offset: 7n,
    atMs: startAtMs,
    kind: "GateOpeningRequested",
    action: actionOf(),
    result: "refused",
    why: "not-declared",
  } as const;
  const putBacks = [{ windowNumber: 0, closesAtMs: startAtMs, action: actionOf(), atMs: startAtMs }];
  const decisions = [{ ...note, bank: "first", credits: [uetrInLane(0, 0)] }];
  await saveDay(world, { ...dayAfter([plan], startAtMs - 60_000), putBacks, decisions });
  expect(await rowsOf(world, query)).toMatchObject([
    {
      putBacks: [{ window: 0, closes: "2026-11-20T06:00:00.000Z", operator: "operator", reason: "the bank called" }],
      decisions: [{ kind: "GateOpeningRequested", result: "refused", why: "not-declared", bank: "first", credits: [uetrInLane(0, 0)] }],
    },
  ]);
});

test("the reason why a gate is closed is always there: not declared, lanes that have not answered, credits by name [D9 gate-reason]", async () => {
  const undeclared = await gateOf(await givenDay([plan]), "first");
  expect(undeclared).toMatchObject({ isOpen: false, reason: "credits not declared (declared by the connector)" });
  const awaited = await gateOf(await givenDay([plan, declared, answered(1)]), "first");
  expect(awaited).toMatchObject({ reason: "lanes 0, 2 have not answered", lanesAwaited: [0, 2] });
  const world = await givenDay([plan, declared, answered(0, ["first"]), answered(1), answered(2)]);
  await lanesPassed(world, 100n);
  const before = [0, 1].map((nth) => uetrInLane(0, nth));
  await saveAll(world, [
    ...before.map((uetr) => creditIn("CREDIT_AUTH_DELIVERED", uetr, 10n)),
    creditIn("CREDIT_AUTH_DELIVERED", uetrInLane(0, 2), 101n),
    creditIn("CREDIT_AUTH_RESPONSE_ACCEPTED", uetrInLane(0, 3), 10n),
    creditIn("CREDIT_AUTH_DELIVERED", uetrInLane(0, 4), 10n, { bank: "second" }),
    creditIn("CREDIT_AUTH_DELIVERED", uetrInLane(0, 5), 10n, { businessDate: "2026-11-23" }),
  ]);
  expect(await gateOf(world, "first")).toMatchObject({
    isOpen: false,
    reason: `2 credits unresolved: ${before.toSorted().join(", ")}`,
    credits: before.toSorted(),
    isMoreCredits: false,
  });
  expect(await gateOf(world, "second")).toMatchObject({ isOpen: true, reason: null, credits: [] });
});

test("more than a thousand credits at a gate are not all named, and it is said that there are more", async () => {
  const world = await givenDay([plan, declared, answered(0, ["first"]), answered(1), answered(2)]);
  await lanesPassed(world, 100n);
  const states = ["CREDIT_AUTH_DELIVERED", "CREDIT_AUTH_RECEIVED"] as const;
  for (const [index, state] of states.entries()) {
    await saveAll(
      world,
      Array.from({ length: 600 }, (_, one) => creditIn(state, uetrOf(1_000 * (index + 1) + one), 10n)),
    );
  }
  const gate = await gateOf(world, "first");
  expect(gate).toMatchObject({ isMoreCredits: true, reason: expect.stringMatching(/^more than 1000 credits unresolved: .*, …$/) });
  expect(gate["credits"]).toHaveLength(1_000);
});

test("without dates the list begins today in the scheme's zone; a wrong date, scheme or too long a time is 400", async () => {
  const world = await givenDay([plan]);
  expect((await rowsOf(world, "/windows")).map((row) => row["day"])).toEqual(["ZA_EFT:2026-11-20"]);
  for (const wrong of ["from=2026-13-01", "from=2026-11-20&to=2026-11-19", "from=2026-01-01&to=2026-12-31", "scheme=ZA_XXX"]) {
    expect([wrong, (await world.control(`/windows?${wrong}`)).status]).toEqual([wrong, 400]);
  }
});

test("held debits are counted and summed by bank and day, with the oldest age, the time to release and why they wait", async () => {
  const world = await givenDay([plan]);
  await saveAll(world, [
    ...[1, 2, 3].map((index) => transactionIn("HELD", index)),
    transactionIn("HELD", 4, { bank: "second", flow: "off-us" }),
    transactionIn("RELEASED", 5),
    transactionIn("HELD", 6, { businessDate: "2026-11-24", closesWith: "ZA_EFT:2026-11-24" }),
  ]);
  const rows = await rowsOf(world, "/held");
  expect(rows).toMatchObject([
    {
      bank: "first",
      day: "ZA_EFT:2026-11-20",
      currency: "ZAR",
      count: 3,
      sum: "3751.50",
      waitsFor: "window",
      why: "the window is not open yet",
    },
    { bank: "second", count: 1, sum: "1250.50" },
    { bank: "first", day: "ZA_EFT:2026-11-24", waitsFor: "day-not-planned", closes: null },
  ]);
  expect(rows[0]).toMatchObject({
    opens: "2026-11-20T07:00:00.000Z",
    secondsToOpening: 3_600,
    secondsToReconciliation: 36_000,
    oldestAgeSeconds: 0,
  });
  expect(await rowsOf(world, "/held?bank=second&day=ZA_EFT:2026-11-20")).toHaveLength(1);
  const first = await jsonOf(await world.control("/held?limit=1"));
  expect((await rowsOf(world, `/held?limit=5&after=${String(first["next"])}`)).map((row) => row["bank"])).toEqual(["second", "first"]);
});

test("in an open window what waits for its gate says why the gate is closed, and a paused bank says so first", async () => {
  const world = await givenDay([plan, opensFirst()], plan.windows[0]?.opensAtMs ?? 0);
  await saveAll(world, [transactionIn("HELD", 1)]);
  expect(await rowsOf(world, "/held")).toMatchObject([
    { waitsFor: "gate", why: "gate closed: credits not declared (declared by the connector)" },
  ]);
  await world.settled(
    world.store.banks.write(
      {
        bank: "first",
        version: 1,
        applied: 0n,
        isPaused: true,
        untilMs: null,
        since: null,
        pauses: 1,
        resumes: 0,
        told: [],
        decisions: [],
      },
      0,
    ),
  );
  expect(await rowsOf(world, "/held")).toMatchObject([{ waitsFor: "bank-paused" }]);
  const maintained = {
    bank: "first",
    version: 2,
    applied: 0n,
    isPaused: true,
    since: null,
    pauses: 2,
    resumes: 0,
    told: [],
    decisions: [],
  };
  const untilMs = world.time.nowMs() + 60_000;
  await world.settled(world.store.banks.write({ ...maintained, untilMs }, 1));
  expect(await rowsOf(world, "/held")).toMatchObject([{ waitsFor: "bank-paused" }]);
  await world.time.advance(61_000);
  expect(await rowsOf(world, "/held")).toMatchObject([{ waitsFor: "gate" }]);
});
