// openGate: nobody opens a gate over a credit that was not named (decisions, section 9).

import { describe, expect, test } from "vitest";
import { awaitedCreditsMax } from "./awaited-credits.ts";
import { givenActing } from "./given-acting.ts";
import { answered, creditIn, dayAfter, declared, lanesPassed, plan, saveAll, saveDay, uetrInLane } from "./given-control.ts";
import { jsonOf, startAtMs } from "./given.ts";

const path = "/days/ZA_EFT/2026-11-20/gate-opening";
const [one, two, late] = [0, 1, 2].map((nth) => uetrInLane(0, nth));
const credits = [one ?? "", two ?? ""];

/** Two credits to the bank `first` from before the declaration are unresolved, one came later. */
async function givenClosedGate() {
  const world = await givenActing();
  await saveDay(world, dayAfter([plan, declared, answered(0, ["first"]), answered(1), answered(2)], startAtMs - 60_000));
  await lanesPassed(world, 100n);
  const before = credits.map((uetr) => creditIn("CREDIT_AUTH_DELIVERED", uetr, 10n));
  await saveAll(world, [...before, creditIn("CREDIT_AUTH_DELIVERED", late ?? "", 101n)]);
  const open = (named: readonly string[], over: object = {}) =>
    world.control(path, { body: { reason: "the bank agreed", bank: "first", credits: named, ...over }, actionId: "g-1" });
  return { ...world, open };
}

describe("I8: a gate opened by hand", () => {
  test("is opened over every unresolved credit, by name: the record says which, and who took it on", async () => {
    const { open, journal } = await givenClosedGate();
    expect((await open(credits)).status).toBe(202);
    expect(journal()).toMatchObject([
      {
        key: "ZA_EFT:2026-11-20",
        decoded: { name: "GateOpeningRequested", value: { bank: "first", credits, action: { id: "g-1", operator: "operator" } } },
      },
    ]);
  });

  test("stays closed where one is not named, which is told, and nothing is appended", async () => {
    const { open, journal } = await givenClosedGate();
    const answer = await open(credits.slice(0, 1));
    expect([answer.status, (await jsonOf(answer))["detail"], journal()]).toEqual([409, `Not named: ${two}`, []]);
  });

  test("may be named more than is unresolved: what ended meanwhile is no obstacle", async () => {
    const { open } = await givenClosedGate();
    expect((await open([...credits, late ?? ""])).status).toBe(202);
  });

  test("over more credits than can be named takes the name of each that is listed", async () => {
    const { open, journal, ...world } = await givenClosedGate();
    const many = Array.from({ length: awaitedCreditsMax + 10 }, (_, nth) => `00000000-0000-4000-8000-${String(nth).padStart(12, "0")}`);
    const documents = many.map((uetr) => creditIn("CREDIT_AUTH_DELIVERED", uetr, 10n));
    for (let start = 0; start < documents.length; start += 500) await saveAll(world, documents.slice(start, start + 500));
    const listed = [...credits, ...many].toSorted().slice(0, awaitedCreditsMax);
    const refused = await open(listed.slice(1));
    expect([refused.status, (await jsonOf(refused))["detail"], journal()]).toEqual([409, `Not named: ${listed[0]}, …`, []]);
    expect((await open(listed)).status).toBe(202);
  });

  test("of a bank whose gate is open is refused", async () => {
    const { open, journal } = await givenClosedGate();
    const answer = await open(credits, { bank: "second" });
    expect([answer.status, (await jsonOf(answer))["detail"], journal()]).toEqual([409, expect.stringContaining("gate-open"), []]);
  });

  test("twice under one id is 202 both times, also once it is open", async () => {
    const { open, journal, judge, control } = await givenClosedGate();
    await open(credits);
    const [record] = journal();
    // The day of this test has records of its own up to offset 4.
    if (record !== undefined) await judge({ ...record, offset: 50n });
    expect(await jsonOf(await control("/actions/g-1?key=ZA_EFT:2026-11-20"))).toMatchObject({ result: "applied" });
    expect((await open(credits)).status).toBe(202);
  });
});
