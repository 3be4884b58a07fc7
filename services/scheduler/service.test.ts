import { headers, topics } from "@sluice/contracts";
import type { OutgoingRecord } from "@sluice/messaging";
import { Fault } from "@sluice/runtime";
import { seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { bank, closesAtMs, day, opensAtMs, reconciliationAtMs, startAtMs, World, worldTimes } from "./given.ts";

const completed = ["RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED", "DELIVERED", "COMPLETED"];
const hexOf = (uetr: string): string => uetr.replaceAll("-", "");
/** UETRs of the inbound debits in the order of their first dispatch: a replay makes one again, with the same id. */
const inbound = (world: World): readonly string[] => {
  const dispatched = world.named(topics.dispatch, "Dispatch").filter(({ decoded }) => decoded.value.operation === "inboundDirectDebit");
  return [...new Set(dispatched.map(({ decoded }) => decoded.value.uetr))];
};
const numbered = (states: readonly string[]): readonly string[] => states.map((state, index) => `${index + 1} ${state}`);

async function complete(world: World, uetr: string): Promise<void> {
  await world.append(topics.journal, uetr, world.endedOf(uetr, "D"));
  await world.append(topics.journal, uetr, world.reportOf(uetr, "made"));
}

test("a debit goes through its seven states, in the window only, each with one event and each message once [3 seven-events] [4 step-6] [4 step-7] [6 trigger]", async () => {
  const world = new World();
  const scheduler = await world.scheduler();
  const uetr = world.uetr();
  await world.hold(uetr);
  await world.until("released", () => inbound(world).length > 0);
  await complete(world, uetr);
  await world.until("completed", () => world.events(uetr).length === 7);

  expect(world.events(uetr)).toEqual(numbered(completed));
  const dispatched = world.named(topics.dispatch, "Dispatch").map(({ decoded }) => decoded.value);
  expect(dispatched.map(({ messageIdentification, bank: receiver }) => [messageIdentification, receiver])).toEqual([
    [`${hexOf(uetr)}A`, bank],
    [`${hexOf(uetr)}D`, bank],
  ]);
  expect(dispatched[1]!.madeAtMs).toBeGreaterThanOrEqual(opensAtMs);
  const document = await world.document(uetr);
  expect(document!.transaction.state).toBe("COMPLETED");
  expect(world.serde.decode(document!.acceptedMessage).name).toBe("DirectDebitReceived");
  expect(world.serde.decode(document!.verdict!).name).toBe("AccountVerified");
  expect(world.serde.decode(document!.finalReport!).name).toBe("StatusReportReceived");
  expect(scheduler.readiness()).toEqual({ isReady: true, reasons: [] });
  await scheduler.stop();
  expect(scheduler.failures).toEqual([]);
});

test("a refused debit is reported and ends; its verdict is kept [3 REJECTED] [3 REJECTION_REPORTED] [7.6]", async () => {
  const world = new World();
  await world.scheduler();
  const uetr = world.uetr();
  const debit = world.debitOf(uetr);
  await world.append(topics.journal, uetr, debit);
  await world.append(topics.journal, uetr, world.verdictOf(debit, "REFUSED"));
  await world.append(topics.journal, uetr, world.endedOf(uetr, "R"));
  await world.until("ended", () => world.events(uetr).length === 3);
  expect(world.events(uetr)).toEqual(numbered(["RECEIVED", "REJECTED", "REJECTION_REPORTED"]));
});

test("another debit under the same UETR is answered AM05 under its own key, and changes nothing", async () => {
  const world = new World();
  await world.scheduler();
  const uetr = world.uetr();
  await world.hold(uetr);
  const other = world.debitOf(uetr, startAtMs, "ANOTHER");
  const changed = { ...other.value, contentHash: "other", substanceHash: "other" };
  await world.append(topics.journal, uetr, { name: "DirectDebitReceived", value: changed });
  const answers = () => world.named(topics.dispatch, "Dispatch").filter(({ decoded }) => decoded.value.deliveryKey !== uetr);
  await world.until("answered", () => answers().length === 1);
  const answer = answers()[0]!.decoded.value;
  expect(answer.messageIdentification).toMatch(/^X[0-9a-f]{34}$/);
  expect(new TextDecoder().decode(answer.body)).toContain('"ANOTHER"');
  expect(world.events(uetr)).toEqual(numbered(["RECEIVED", "ACCEPTED", "REPORTED", "HELD"]));
});

test("I9: with two schedulers each window opens and closes once in every lane, never before its time", async () => {
  const world = new World({ lanes: 3 });
  await world.scheduler();
  await world.scheduler();
  await world.until("reconciled", () => world.named(topics.journal, "DayReconciled").length >= 3);
  await world.time.advance(5_000);
  const planned = { WindowOpened: opensAtMs, WindowClosed: closesAtMs, DayReconciled: reconciliationAtMs, GateOpened: opensAtMs } as const;
  for (const [name, atMs] of Object.entries(planned) as [keyof typeof planned, number][]) {
    const markers = world.named(topics.journal, name);
    expect(markers.map(({ partition }) => partition)).toEqual([0, 1, 2]);
    for (const { appendedAtMs } of markers) {
      expect(appendedAtMs).toBeGreaterThanOrEqual(atMs);
      expect(appendedAtMs).toBeLessThan(atMs + 3_000);
    }
  }
  const found = await world.done(world.store.days.load([day]));
  expect(found.get(day)).toMatchObject({ opened: [1], closed: [1], missed: [], isGateOpen: true });
});

test("I9: a scheduler that was down over the opening opens late, one that was down over the window misses it and closes", async () => {
  const late = new World();
  await late.time.advance(opensAtMs - startAtMs + 20_000);
  await late.scheduler();
  await late.until("opened", () => late.named(topics.journal, "WindowOpened").length === 2, 20_000);
  const missed = new World();
  await missed.time.advance(closesAtMs - startAtMs + 1_000);
  await missed.scheduler();
  await missed.until("closed", () => missed.named(topics.journal, "WindowClosed").length === 2, 20_000);
  expect(missed.named(topics.journal, "WindowOpened")).toEqual([]);
});

test("I8: nothing is released before the lane has passed the window's opening and the gate, nor after the closing", async () => {
  const world = new World({ maxUnacknowledged: 4 });
  await world.scheduler();
  const uetrs = Array.from({ length: 12 }, () => world.uetr());
  for (const [index, uetr] of uetrs.entries()) await world.hold(uetr, startAtMs + index);
  await world.until("closed", () => world.named(topics.journal, "WindowClosed").length === 2);
  await world.time.advance(10_000);
  for (const partition of [0, 1]) {
    const records = world.records(topics.journal).filter((record) => record.partition === partition);
    const kinds = records.map(({ decoded }) => decoded.name);
    const releases = kinds.flatMap((kind, index) => (kind === "Release" ? [index] : []));
    expect(releases).toHaveLength(2);
    expect(releases[0]!).toBeGreaterThan(kinds.indexOf("GateOpened"));
    expect(releases.at(-1)!).toBeLessThan(kinds.indexOf("WindowClosed"));
  }
});

test("I8: a release that was stalled past the closing marker is refused where it lies", async () => {
  const world = new World();
  await world.scheduler();
  await world.until("closed", () => world.named(topics.journal, "WindowClosed").length === 2);
  const uetr = world.uetr();
  await world.hold(uetr);
  const release = { scheme: "ZA_EFT", businessDate: "2026-11-20", windowNumber: 1, bank };
  await world.append(topics.journal, uetr, { name: "Release", value: release });
  await world.time.advance(5_000);
  expect(world.events(uetr).at(-1)).toBe("4 HELD");
  expect(inbound(world)).toEqual([]);
});

test("I8: per bank and lane debits leave in order of receipt, at the lane's share of the bank's limit", async () => {
  const world = new World({ lanes: 1, maxUnacknowledged: 3 });
  await world.scheduler();
  const uetrs = Array.from({ length: 9 }, () => world.uetr());
  for (const [index, uetr] of uetrs.toReversed().entries()) await world.hold(uetr, startAtMs - index);
  const released = () => inbound(world);
  for (let out = 3; out <= 9; out += 1) {
    await world.until(`${out} released`, () => released().length >= out);
    await world.time.advance(200);
    expect(released()).toEqual(uetrs.slice(0, out));
    await world.append(topics.journal, uetrs[out - 3]!, world.endedOf(uetrs[out - 3]!, "D"));
  }
});

test("I10: a debit silent at the close becomes exactly one item, its delivery is stopped, and the stop sets the row [3 RECONCILIATION] [7.7]", async () => {
  const world = new World();
  await world.scheduler();
  const uetr = world.uetr();
  await world.hold(uetr);
  await world.until("item", () => world.events(uetr).length === 6);
  expect(world.events(uetr).at(-1)).toBe("6 RECONCILIATION");
  const stops = () => world.named(topics.dispatch, "DispatchChange").map(({ decoded }) => decoded.value.messageIdentification);
  expect(stops()).toEqual([`${hexOf(uetr)}D`]);
  await world.append(topics.journal, uetr, world.endedOf(uetr, "D", "STOPPED"));
  await world.time.advance(5_000);
  const { transaction } = (await world.document(uetr))!;
  expect(transaction.items).toMatchObject([{ day, row: 7, state: "RELEASED" }]);
  const items = await world.done(world.store.transactions.items(day, null, 100));
  expect(items.map((one) => one.uetr)).toEqual([uetr]);
});

test("I10: every unresolved debit of the day is woken at the close, also one that has no further fact [7.4]", async () => {
  const world = new World({ lanes: 3 });
  await world.scheduler();
  const received = Array.from({ length: 20 }, () => world.uetr());
  for (const uetr of received) await world.append(topics.journal, uetr, world.debitOf(uetr));
  await world.until("woken", () => received.every((uetr) => world.events(uetr).length === 2));
  expect(received.map((uetr) => world.events(uetr).at(-1))).toEqual(received.map(() => "2 RECONCILIATION"));
  expect(world.named(topics.journal, "DayClosed")).toHaveLength(20);
});

/** The first scheduler's facts of one kind are lost for three seconds, so that its positions are written; then it dies. */
function dyingBefore(fact: string): { readonly world: World; readonly isKilled: () => boolean } {
  let firstMs: number | null = null;
  let isKilled = false;
  const world: World = new World({
    logHooks: {
      produce(client, batch) {
        if (client !== "scheduler-1" || !batch.some((record) => record.headers[headers.type] === fact)) return { kind: "append" };
        firstMs ??= world.time.nowMs();
        // Not before the loss is known: what is on its way when a client dies may still arrive.
        if (world.time.nowMs() - firstMs > 3_000) world.time.after(100, die);
        return { kind: "lose-request" };
      },
    },
  });
  function die(): void {
    isKilled = true;
    world.kill();
  }
  return { world, isKilled: () => isKilled };
}

test("I10: what the close left because the scheduler died is woken by the next owner", async () => {
  const { world, isKilled } = dyingBefore("DayClosed");
  await world.scheduler();
  const uetr = world.uetr();
  await world.append(topics.journal, uetr, world.debitOf(uetr));
  await world.until("killed", isKilled);
  await world.scheduler();
  await world.until("woken", () => world.events(uetr).length === 2);
  expect(world.events(uetr)).toEqual(numbered(["RECEIVED", "RECONCILIATION"]));
});

test("a declaration that a lane did not answer because the scheduler died is answered by the next owner", async () => {
  const { world, isKilled } = dyingBefore("LaneCredits");
  await world.scheduler();
  await world.until("killed", isKilled);
  await world.scheduler();
  await world.until("gate", () => world.named(topics.journal, "GateOpened").length >= 2, 30_000);
  expect(world.named(topics.journal, "GateOpened").map(({ partition }) => partition)).toEqual([0, 1]);
});

test("I3: a crash between write and produce is repaired by replay, with the same ids and bytes", async () => {
  const lost: OutgoingRecord[] = [];
  const world: World = new World({
    logHooks: {
      produce(client, batch) {
        const events = batch.filter(({ topic }) => topic === topics.events || topic === topics.dispatch);
        if (lost.length > 0 || client !== "scheduler-1" || events.length === 0) return { kind: "append" };
        lost.push(...events);
        world.kill();
        return { kind: "lose-request" };
      },
    },
  });
  await world.scheduler();
  const uetr = world.uetr();
  await world.hold(uetr);
  await world.until("killed", () => lost.length > 0);
  expect((await world.document(uetr))!.transaction.transitions.length).toBeGreaterThan(0);
  await world.scheduler();
  await world.until("replayed", () => world.events(uetr).length >= 4);
  const written = [...world.records(topics.events), ...world.records(topics.dispatch)];
  for (const { value, key } of lost) {
    const same = written.filter((record) => Buffer.compare(record.value!, value!) === 0 && Buffer.compare(record.key!, key!) === 0);
    expect(same.length).toBeGreaterThan(0);
  }
});

test("I3: outputs whose answer was lost are produced again as they were; nothing else changes", async () => {
  let lost = 0;
  const world = new World({
    logHooks: {
      produce(client, batch) {
        const isOutput = batch.some(({ topic }) => topic === topics.events);
        if (!client.startsWith("scheduler") || !isOutput || lost >= 3) return { kind: "append" };
        lost += 1;
        return { kind: "lose-answer" };
      },
    },
  });
  const scheduler = await world.scheduler();
  const uetr = world.uetr();
  await world.hold(uetr);
  await world.until("released", () => world.events(uetr).length === 5);
  const bodies = new Map<string, Set<string>>();
  for (const { decoded } of world.named(topics.events, "TransactionStateEvent")) {
    const { id, body } = decoded.value;
    bodies.set(id, (bodies.get(id) ?? new Set()).add(Buffer.from(body).toString("hex")));
  }
  expect([...bodies.values()].map((different) => different.size)).toEqual([1, 1, 1, 1, 1]);
  expect(world.named(topics.events, "TransactionStateEvent").length).toBeGreaterThan(5);
  expect(scheduler.failures).toEqual([]);
});

test("take-over in the middle of a window: what is held goes on leaving in order, nothing a second time", async () => {
  const world = new World({ lanes: 1, maxUnacknowledged: 2 });
  const first = await world.scheduler();
  const uetrs = Array.from({ length: 6 }, () => world.uetr());
  for (const [index, uetr] of uetrs.entries()) await world.hold(uetr, startAtMs + index);
  await world.until("two released", () => inbound(world).length === 2);
  first.kill();
  await world.scheduler();
  await world.time.advance(10_000);
  expect(inbound(world)).toHaveLength(2);
  for (const uetr of uetrs) {
    await world.until("released", () => inbound(world).includes(uetr), 30_000);
    await complete(world, uetr);
  }
  await world.until("completed", () => uetrs.every((uetr) => world.events(uetr).length === 7));
  expect(inbound(world)).toEqual(uetrs);
});

test("a stale owner that was cut off loses; every debit still has one path", async () => {
  const world = new World({ lanes: 2 });
  const first = await world.scheduler();
  await world.scheduler();
  const uetrs = Array.from({ length: 8 }, () => world.uetr());
  for (const uetr of uetrs.slice(0, 4)) await world.hold(uetr);
  first.client.cut(12_000);
  for (const uetr of uetrs.slice(4)) await world.hold(uetr);
  await world.until("all released", () => inbound(world).length === 8);
  for (const uetr of uetrs) await complete(world, uetr);
  await world.until("all completed", () => uetrs.every((uetr) => world.events(uetr).length === 7));
  for (const uetr of uetrs) expect(world.events(uetr)).toEqual(numbered(completed));
  expect(first.failures).toEqual([]);
});

test("a lane whose epoch was raised by nobody's owner is taken anew by the one that the group names", async () => {
  const world = new World({ lanes: 1 });
  const scheduler = await world.scheduler();
  const [before, after] = [world.uetr(), world.uetr()];
  await world.hold(before);
  await world.until("held", () => world.events(before).length === 4);
  await world.done(world.store.lanes.takeOver("scheduler", 0));
  await world.hold(after);
  await world.until("released", () => world.events(after).length === 5 && world.events(before).length === 5);
  expect(scheduler.failures).toEqual([]);
});

test("a store that fails, in doubt or not, makes lanes wait; nothing is lost and nothing happens twice", async () => {
  const random = seededRandom("trouble");
  const kinds = ["down", "ambiguous", "torn", "none", "none", "none", "none", "none"] as const;
  // Waits between tries may be ten seconds each: the window is longer than many of them.
  const times = { ...worldTimes, processing: [{ opens: "07:00:10", closes: "07:20:00" }], reconciliation: "07:30:00" };
  const world = new World({ times, storeHooks: { fault: () => kinds[Math.floor(random.fraction() * kinds.length)]! } });
  const scheduler = await world.scheduler();
  const uetrs = Array.from({ length: 5 }, () => world.uetr());
  for (const uetr of uetrs) await world.hold(uetr);
  await world.until("all released", () => uetrs.every((uetr) => world.events(uetr).length >= 5));
  for (const uetr of uetrs) expect(world.events(uetr)).toEqual(numbered(completed.slice(0, 5)));
  expect(scheduler.failures).toEqual([]);
});

test("a record that is bad in itself goes to the dead letters with its reason, and the lane moves on", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const uetr = world.uetr();
  const key = Buffer.from(uetr);
  await world.appendRaw(0, key, Uint8Array.of(7, 7, 7, 7, 7, 7));
  await world.appendRaw(0, null, Uint8Array.of(0));
  await world.appendRaw(0, key, null);
  await world.append(topics.journal, uetr, { name: "DayClosed", value: { day } });
  const other = world.uetr();
  await world.hold(other);
  await world.until("held", () => world.events(other).length === 4);
  const letters = world.named(topics.deadLetters, "DeadLetter").map(({ decoded }) => decoded.value);
  expect(letters.map(({ reason }) => reason)).toEqual(["first byte is 7, not 0", "no key", "no value"]);
  expect([...letters[0]!.value!]).toEqual([7, 7, 7, 7, 7, 7]);
});

test("a record of a schema that is not known yet makes its lane wait, and it goes on by itself", async () => {
  const world = new World({ lanes: 1 });
  let isKnown = false;
  const uetr = world.uetr();
  const { serde } = world;
  const scheduler = await world.scheduler({
    serde: {
      encode: (name, value) => serde.encode(name, value),
      decode(bytes) {
        const decoded = serde.decode(bytes);
        if (decoded.name === "AccountVerified" && !isKnown) throw unknownSchema();
        return decoded;
      },
      learn: () => (isKnown ? Promise.resolve() : Promise.reject(unknownSchema())),
    },
  });
  await world.hold(uetr);
  await world.time.advance(1_000);
  expect(world.events(uetr)).toEqual(["1 RECEIVED"]);
  expect(scheduler.readiness().isReady).toBe(false);
  isKnown = true;
  await world.until("held", () => world.events(uetr).length === 4);
  expect(world.named(topics.deadLetters, "DeadLetter")).toEqual([]);
});

test("several facts of one debit in one batch are one write", async () => {
  const writes: string[] = [];
  const world = new World({
    lanes: 1,
    storeHooks: {
      observe: ({ operation, key }) => {
        if (operation === "transactions.write") writes.push(key);
      },
    },
  });
  const uetr = world.uetr();
  await world.hold(uetr);
  await world.scheduler();
  await world.until("held", () => world.events(uetr).length === 4);
  expect(writes).toEqual([uetr]);
});

function unknownSchema(): Fault {
  return new Fault("contracts.unknown-schema", "schema 99 is not known here", { isRetryable: true });
}
