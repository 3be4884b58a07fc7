// I8, the gate of credits final: several lanes, several banks, lanes that lag, owners that die, a store put back to an older point.

import { topics } from "@sluice/contracts";
import type { Store } from "@sluice/store";
import { seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { bank, day, opensAtMs, startAtMs, World } from "./given.ts";
import type { WorldOptions } from "./given.ts";

const second = "second";
const third = "third";
const given = (options: WorldOptions = {}): World => new World({ lanes: 3, banks: [second, third], creditsFinal: "connector", ...options });

/** Banks to which a debit was released. */
const releasedTo = (world: World): readonly string[] => {
  const sent = world.named(topics.dispatch, "Dispatch").filter(({ decoded }) => decoded.value.operation === "inboundDirectDebit");
  return [...new Set(sent.map(({ decoded }) => decoded.value.bank))].toSorted();
};

/** Of one lane: banks that the gate was opened for, or those that it excepted, in order. */
const gates = (world: World, partition = 0): readonly string[] =>
  world
    .named(topics.journal, "GateOpened")
    .filter((record) => record.partition === partition)
    .map(({ decoded: { value } }) => (value.banks === null ? `all but ${value.except.join(" ")}` : value.banks.join(" ")));

/** A held debit of each bank in each lane. */
async function holdEverywhere(world: World): Promise<void> {
  for (let lane = 0; lane < world.lanes; lane += 1) {
    for (const of of [bank, second, third]) await world.hold(world.uetrIn(lane), world.time.nowMs(), of);
  }
}

async function open(world: World): Promise<void> {
  await world.until("opened", () => world.named(topics.journal, "WindowOpened").length === world.lanes);
}

/**
 * I8 by the journal alone: no gate of a bank was opened, in any lane, before every credit to it that lies below the declaration's marker in its
 * own lane had ended.
 */
function expectNothingEarly(world: World, endings: ReadonlyMap<string, string>): void {
  const journal = world.records(topics.journal);
  for (const [uetr, to] of endings) {
    const of = journal.filter(({ key }) => Buffer.from(key!).toString() === uetr);
    const received = of.find(({ decoded }) => decoded.name === "CreditTransferReceived")!;
    const declared = journal.find(({ decoded, partition }) => decoded.name === "CreditsDeclared" && partition === received.partition)!;
    if (received.offset > declared.offset) continue;
    const ended = of.find(({ decoded }) => decoded.name === "StatusReportReceived" || decoded.name === "DeadlinePassed");
    for (const { decoded, appendedAtMs, partition } of world.named(topics.journal, "GateOpened")) {
      const { banks, except } = decoded.value;
      if (banks === null ? except.includes(to) : !banks.includes(to)) continue;
      expect(ended, `${to} opened in lane ${partition} with an open credit`).toBeDefined();
      expect(appendedAtMs).toBeGreaterThanOrEqual(ended!.appendedAtMs);
    }
  }
}

test("I8: nothing is released before the credits are declared final, though the window is open", async () => {
  const world = given();
  await world.scheduler();
  await holdEverywhere(world);
  await open(world);
  await world.time.advance(10_000);
  expect(world.named(topics.journal, "Release")).toEqual([]);
  await world.declare();
  await world.until("released", () => releasedTo(world).length === 3);
  expect(gates(world)).toEqual(["all but "]);
});

test("I8: a bank with an unresolved credit in any lane gets nothing until it has ended in each; the others get theirs", async () => {
  const closed: string[] = [];
  const world = given({
    onInfo: (event, fields) => {
      if (event === "gate.closed") closed.push(`${JSON.stringify(fields["lanesAwaited"])} ${JSON.stringify(fields["banks"])}`);
    },
  });
  await world.scheduler();
  await holdEverywhere(world);
  const credits = [0, 0, 2].map((lane) => world.uetrIn(lane));
  for (const uetr of credits) await world.credit(uetr, { bank: second });
  await open(world);
  await world.declare();
  await world.until("released", () => releasedTo(world).length === 2);
  await world.time.advance(5_000);
  expect(releasedTo(world)).toEqual([bank, third]);
  expect(gates(world)).toEqual([`all but ${second}`]);
  await world.endCredit(credits[0]!, second);
  await world.endCredit(credits[2]!, second);
  await world.time.advance(5_000);
  expect(releasedTo(world)).toEqual([bank, third]);
  await world.endCredit(credits[1]!, second);
  await world.until("released", () => releasedTo(world).length === 3);
  expect(gates(world)).toEqual([`all but ${second}`, second]);
  const clear = world.named(topics.journal, "LaneBankClear").map(({ decoded: { value } }) => `${value.lane} ${value.bank}`);
  expect(new Set(clear)).toEqual(new Set([`0 ${second}`, `1 ${second}`, `2 ${second}`]));
  // Why it is closed is said whenever it changes.
  expect([closed[0], ...closed.slice(-2)]).toEqual([`"0 1 2" []`, `"" ["second: lanes 0 2"]`, `"" ["second: lanes 0"]`]);
});

test("a credit that ends by its deadline opens its bank's gate", async () => {
  const world = given();
  await world.scheduler();
  await holdEverywhere(world);
  const nowMs = world.time.nowMs();
  await world.credit(world.uetrIn(1), { bank: second, deadlineMs: nowMs + 30_000 });
  await open(world);
  await world.declare();
  await world.until("excepted", () => gates(world).length === 1);
  await world.until("released", () => releasedTo(world).length === 3);
  expect(world.time.nowMs()).toBeGreaterThanOrEqual(nowMs + 30_000);
});

test("a credit received after the declaration, of a later date, or of another scheme closes no gate", async () => {
  const world = given();
  await world.scheduler();
  await holdEverywhere(world);
  await world.credit(world.uetrIn(0), { bank: second, businessDate: "2026-11-21" });
  await world.credit(world.uetrIn(1), { bank: second, scheme: "ZA_RTC" });
  await open(world);
  await world.declare();
  await world.until("declared", () => world.named(topics.journal, "CreditsDeclared").length === 3);
  await world.credit(world.uetrIn(2), { bank: second });
  await world.until("released", () => releasedTo(world).length === 3);
  expect(gates(world)).toEqual(["all but "]);
});

test("a credit of an earlier business date that is unresolved closes its bank's gate", async () => {
  const world = given();
  await world.scheduler();
  await holdEverywhere(world);
  await world.credit(world.uetrIn(0), { bank: second, businessDate: "2026-11-19" });
  await open(world);
  await world.declare();
  await world.until("gate", () => gates(world).length === 1);
  expect(gates(world)).toEqual([`all but ${second}`]);
});

test("I8: a bank that declares for itself gets its own debits, once its own credits have ended, and nobody else gets any", async () => {
  const world = given({ creditsFinal: "bank" });
  await world.scheduler();
  await holdEverywhere(world);
  const [ofSecond, ofThird] = [world.uetrIn(0), world.uetrIn(1)];
  await world.credit(ofSecond, { bank: second });
  await world.credit(ofThird, { bank: third });
  await open(world);
  await world.declare(second);
  await world.declare(bank);
  await world.until("released", () => releasedTo(world).length === 1);
  await world.time.advance(5_000);
  expect(releasedTo(world)).toEqual([bank]);
  await world.endCredit(ofSecond, second);
  await world.until("released", () => releasedTo(world).length === 2);
  await world.time.advance(5_000);
  expect(releasedTo(world)).toEqual([bank, second]);
  expect(gates(world)).toEqual([bank, second]);
});

/** Every read of snapshots in which the UETR takes part fails while it is told to: its lane does not move. */
function lagging(options: WorldOptions = {}) {
  const state = { stuck: "" };
  const isStuck = (key: string): boolean => state.stuck !== "" && key.includes(state.stuck);
  const world = given({
    ...options,
    storeHooks: { fault: ({ operation, key }) => (operation === "transactions.load" && isStuck(key) ? "down" : "none") },
  });
  return { world, state };
}

test("I8: a credit answered 202 before the declaration is not overlooked, however slow its lane", async () => {
  const { world, state } = lagging();
  await world.scheduler();
  await holdEverywhere(world);
  const slow = world.uetrIn(1);
  state.stuck = slow;
  await world.credit(slow, { bank: second });
  await open(world);
  await world.declare();
  await world.until("two lanes answered", () => world.named(topics.journal, "LaneCredits").length === 2);
  await world.time.advance(20_000);
  expect(gates(world)).toEqual([]);
  state.stuck = "";
  await world.until("gate", () => gates(world).length === 1);
  expect(gates(world)).toEqual([`all but ${second}`]);
  await world.until("released", () => releasedTo(world).length === 2);
  await world.endCredit(slow, second);
  await world.until("released", () => releasedTo(world).length === 3);
});

test("I8: nor when the lane changes its owner in between, before or after it has answered", async () => {
  const { world, state } = lagging();
  const first = await world.scheduler();
  await holdEverywhere(world);
  const [slow, quick] = [world.uetrIn(1), world.uetrIn(0)];
  state.stuck = slow;
  await world.credit(slow, { bank: second });
  await world.credit(quick, { bank: third });
  await open(world);
  await world.declare();
  await world.until("two lanes answered", () => world.named(topics.journal, "LaneCredits").length === 2);
  first.kill();
  await world.time.advance(5_000);
  state.stuck = "";
  await world.scheduler();
  await world.until("gate", () => gates(world).length === 1);
  expect(gates(world)).toEqual([`all but ${second} ${third}`]);
  await world.endCredit(slow, second);
  await world.endCredit(quick, third);
  await world.until("released", () => releasedTo(world).length === 3);
});

test("I16: a bank that an owner named is called clear by the next one, though its credit ended while nobody ran", async () => {
  for (const creditsFinal of ["connector", "bank"] as const) {
    const world = given({ creditsFinal });
    const first = await world.scheduler();
    await holdEverywhere(world);
    const credit = world.uetrIn(2);
    await world.credit(credit, { bank: second });
    await open(world);
    await world.declare(creditsFinal === "bank" ? second : null);
    await world.until("answered", () => world.named(topics.journal, "LaneCredits").length === 3);
    first.kill();
    await world.endCredit(credit, second);
    await world.time.advance(10_000);
    await world.scheduler();
    await world.until("released", () => releasedTo(world).includes(second), 60_000);
    expect(gates(world).at(-1)).toBe(second);
  }
});

test("I16: and also where the answer that was counted came late, from an owner that was cut off", async () => {
  // The first owner's answers, and all that it says after them, are lost; its LaneCredits is then appended by hand, as if it had been on its way.
  const world = given({
    lanes: 1,
    logHooks: {
      produce: (client, batch) =>
        client === "scheduler-1" && batch.some(({ headers }) => headers["sluice-type"] === "LaneCredits")
          ? { kind: "lose-request" }
          : { kind: "append" },
    },
  });
  const first = await world.scheduler();
  await holdEverywhere(world);
  const credit = world.uetr();
  await world.credit(credit, { bank: second });
  await open(world);
  await world.declare();
  await world.until("declared", () => world.named(topics.journal, "CreditsDeclared").length === 1);
  await world.time.advance(2_000);
  first.kill();
  await world.endCredit(credit, second);
  const value = {
    scheme: "ZA_EFT",
    businessDate: "2026-11-20",
    lane: 0,
    declaration: `${day}:CreditsDeclared:1`,
    banksUnresolved: [second],
  };
  await world.append(topics.journal, day, { name: "LaneCredits", value });
  await world.scheduler();
  await world.until("released", () => releasedTo(world).length === 3, 60_000);
  expect(gates(world)).toEqual([`all but ${second}`, second]);
});

/** As a restored backup: all documents as they were then, under the same keys. */
async function copyOf(world: World, uetrs: readonly string[]): Promise<Store> {
  const copy = world.emptyStore();
  const documents = await world.done(world.store.transactions.load(uetrs));
  await world.done(copy.transactions.write([...documents.values()].map((document) => ({ document, expectedVersion: 0 }))));
  for (const open of await world.done(world.store.days.open())) await world.done(copy.days.write(open, 0));
  for (const { service, partition, position, state } of await world.done(world.store.lanes.list("scheduler"))) {
    const { epoch } = await world.done(copy.lanes.takeOver(service, partition));
    await world.done(copy.lanes.write(service, partition, epoch, position, state));
  }
  return copy;
}

test.each(["an older point", "nothing"])("I8: nor when the store is put back to %s while the gate waits", async (point) => {
  const world = given();
  const first = await world.scheduler();
  await holdEverywhere(world);
  const credits = [0, 1, 2].map((lane) => world.uetrIn(lane));
  await world.credit(credits[0]!, { bank: second });
  await world.time.advance(3_000);
  const older = point === "nothing" ? world.emptyStore() : await copyOf(world, [credits[0]!, ...heldIn(world)]);
  await world.credit(credits[1]!, { bank: second });
  await world.credit(credits[2]!, { bank: third });
  await open(world);
  await world.declare();
  await world.until("excepted", () => gates(world).length === 1);
  await world.endCredit(credits[0]!, second);
  await world.time.advance(2_000);
  first.kill();
  world.store = older;
  await world.scheduler();
  await world.time.advance(10_000);
  expect(releasedTo(world)).toEqual([bank]);
  await world.endCredit(credits[1]!, second);
  await world.endCredit(credits[2]!, third);
  await world.until("released", () => releasedTo(world).length === 3, 60_000);
  expect(gates(world)[0]).toBe(`all but ${second} ${third}`);
});

const heldIn = (world: World): readonly string[] =>
  world.named(topics.journal, "DirectDebitReceived").map(({ decoded }) => decoded.value.debit.transactionIdentifiers.uetr.toLowerCase());

test.each([1, 2, 3, 4, 5, 6])(
  "I8, I16: with deaths, a failing store and lost answers no gate opens early, and all open in the end (%i)",
  async (seed) => {
    const random = seededRandom(`gate-${seed}`);
    const kinds = ["down", "ambiguous", "torn", "none", "none", "none", "none", "none", "none"] as const;
    let isHealed = false;
    const world = given({
      seed,
      storeHooks: { fault: () => (isHealed ? "none" : kinds[Math.floor(random.fraction() * kinds.length)]!) },
      logHooks: {
        produce: (client) => ({ kind: client !== "world" && !isHealed && random.fraction() < 0.05 ? "lose-answer" : "append" }),
      },
    });
    let owner = await world.scheduler();
    await world.until("planned", () => world.named(topics.journal, "DayPlanned").length >= 8);
    const endings = new Map<string, string>();
    for (let index = 0; index < 12; index += 1) {
      const to = [second, third][index % 2]!;
      const uetr = world.uetr();
      endings.set(uetr, to);
      await world.credit(uetr, { bank: to, deadlineMs: startAtMs + 600_000 });
      if (index === 8) await world.declare();
    }
    await holdEverywhere(world);
    for (const [uetr, to] of endings) {
      await world.endCredit(uetr, to);
      await world.time.advance(Math.floor(random.fraction() * 1_500));
      if (random.fraction() > 0.25) continue;
      owner.kill();
      owner = await world.scheduler();
    }
    isHealed = true;
    await world.until("released", () => releasedTo(world).length === 3, 45_000);
    expect(world.time.nowMs()).toBeGreaterThan(opensAtMs);
    expectNothingEarly(world, endings);
    expect(owner.failures).toEqual([]);
  },
);
