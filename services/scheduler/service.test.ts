import { headers, topics } from "@sluice/contracts";
import type { OutgoingRecord } from "@sluice/messaging";
import { Fault } from "@sluice/kernel";
import { seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import {
  schedulerBank,
  closesAtMs,
  schedulerDay,
  opensAtMs,
  reconciliationAtMs,
  schedulerStartAtMs,
  SchedulerEnvironment,
  environmentTimes,
} from "./scheduler.fixture.ts";

const completed = ["RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED", "DELIVERED", "COMPLETED"];
const toHex = (uetr: string): string => uetr.replaceAll("-", "");
/**
 * Lists the UETRs of the inbound debits in the order of their first dispatch: a replay makes one again, with the same
 * id.
 */
const inbound = (environment: SchedulerEnvironment): readonly string[] => {
  const dispatched = environment
    .named(topics.dispatch, "Dispatch")
    .filter(({ decoded }) => decoded.value.operation === "inboundDirectDebit");
  return [...new Set(dispatched.map(({ decoded }) => decoded.value.uetr))];
};
const numbered = (states: readonly string[]): readonly string[] => states.map((state, index) => `${index + 1} ${state}`);

async function complete(environment: SchedulerEnvironment, uetr: string): Promise<void> {
  await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "D"));
  await environment.append(topics.journal, uetr, environment.report(uetr, "made"));
}

test("a debit goes through its seven states, in the window only, each with one event and each message once [3 seven-events] [4 step-6] [4 step-7] [6 trigger] [D7.10]", async () => {
  const environment = new SchedulerEnvironment();
  const scheduler = await environment.scheduler();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("released", () => inbound(environment).length > 0);
  await complete(environment, uetr);
  await environment.until("completed", () => environment.events(uetr).length === 7);

  expect(environment.events(uetr)).toEqual(numbered(completed));
  const dispatched = environment.named(topics.dispatch, "Dispatch").map(({ decoded }) => decoded.value);
  expect(dispatched.map(({ messageIdentification, bank: receiver }) => [messageIdentification, receiver])).toEqual([
    [`${toHex(uetr)}A`, schedulerBank],
    [`${toHex(uetr)}D`, schedulerBank],
  ]);
  expect(dispatched[1]!.madeAtMs).toBeGreaterThanOrEqual(opensAtMs);
  const document = await environment.document(uetr);
  expect(document!.transaction.state).toBe("COMPLETED");
  expect(environment.serde.decode(document!.acceptedMessage).name).toBe("DirectDebitReceived");
  expect(environment.serde.decode(document!.verdict!).name).toBe("AccountVerified");
  expect(environment.serde.decode(document!.finalReport!).name).toBe("StatusReportReceived");
  expect(scheduler.readiness()).toEqual({ isReady: true, reasons: [] });
  await scheduler.stop();
  expect(scheduler.failures).toEqual([]);
});

test("a refused debit is reported and ends; its verdict is kept [3 REJECTED] [3 REJECTION_REPORTED] [7.6]", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  const uetr = environment.uetr();
  const debit = environment.debit(uetr);
  await environment.append(topics.journal, uetr, debit);
  await environment.append(topics.journal, uetr, environment.verdict(debit, "REFUSED"));
  await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "R"));
  await environment.until("ended", () => environment.events(uetr).length === 3);
  expect(environment.events(uetr)).toEqual(numbered(["RECEIVED", "REJECTED", "REJECTION_REPORTED"]));
});

test("another debit under the same UETR is answered AM05 under its own key, and changes nothing", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  const other = environment.debit(uetr, schedulerStartAtMs, "ANOTHER");
  const changed = { ...other.value, contentHash: "other", substanceHash: "other" };
  await environment.append(topics.journal, uetr, { name: "DirectDebitReceived", value: changed });
  const answers = () => environment.named(topics.dispatch, "Dispatch").filter(({ decoded }) => decoded.value.deliveryKey !== uetr);
  await environment.until("answered", () => answers().length === 1);
  const answer = answers()[0]!.decoded.value;
  expect(answer.messageIdentification).toMatch(/^X[0-9a-f]{34}$/);
  expect(new TextDecoder().decode(answer.body)).toContain('"ANOTHER"');
  expect(environment.events(uetr)).toEqual(numbered(["RECEIVED", "ACCEPTED", "REPORTED", "HELD"]));
});

test("I9: with two schedulers each window opens and closes once in every partition, never before its time", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 3 });
  await environment.scheduler();
  await environment.scheduler();
  await environment.until("reconciled", () => environment.named(topics.journal, "DayReconciled").length >= 3);
  await environment.time.advance(5_000);
  const planned = { WindowOpened: opensAtMs, WindowClosed: closesAtMs, DayReconciled: reconciliationAtMs, GateOpened: opensAtMs } as const;
  for (const [name, atMs] of Object.entries(planned) as [keyof typeof planned, number][]) {
    const markers = environment.named(topics.journal, name);
    expect(markers.map(({ partition }) => partition)).toEqual([0, 1, 2]);
    for (const { appendedAtMs } of markers) {
      expect(appendedAtMs).toBeGreaterThanOrEqual(atMs);
      expect(appendedAtMs).toBeLessThan(atMs + 3_000);
    }
  }
  const found = await environment.settle(environment.store.days.load([schedulerDay]));
  expect(found.get(schedulerDay)).toMatchObject({ opened: [1], closed: [1], missed: [], isGateOpen: true });
});

test("I9: a scheduler that was down over the opening opens late, one that was down over the window misses it and closes", async () => {
  const late = new SchedulerEnvironment();
  await late.time.advance(opensAtMs - schedulerStartAtMs + 20_000);
  await late.scheduler();
  await late.until("opened", () => late.named(topics.journal, "WindowOpened").length === 2, 20_000);
  const missed = new SchedulerEnvironment();
  await missed.time.advance(closesAtMs - schedulerStartAtMs + 1_000);
  await missed.scheduler();
  await missed.until("closed", () => missed.named(topics.journal, "WindowClosed").length === 2, 20_000);
  expect(missed.named(topics.journal, "WindowOpened")).toEqual([]);
});

test("I8: nothing is released before the partition has applied the window's opening and the gate, nor after the closing", async () => {
  const environment = new SchedulerEnvironment({ maxUnacknowledged: 4 });
  await environment.scheduler();
  const uetrs = Array.from({ length: 12 }, () => environment.uetr());
  for (const [index, uetr] of uetrs.entries()) await environment.hold(uetr, schedulerStartAtMs + index);
  await environment.until("closed", () => environment.named(topics.journal, "WindowClosed").length === 2);
  await environment.time.advance(10_000);
  for (const partition of [0, 1]) {
    const records = environment.records(topics.journal).filter((record) => record.partition === partition);
    const kinds = records.map(({ decoded }) => decoded.name);
    const releases = kinds.flatMap((kind, index) => (kind === "Release" ? [index] : []));
    expect(releases).toHaveLength(2);
    expect(releases[0]!).toBeGreaterThan(kinds.indexOf("GateOpened"));
    expect(releases.at(-1)!).toBeLessThan(kinds.indexOf("WindowClosed"));
  }
});

test("I8: a release that was delayed past the closing marker is refused", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  await environment.until("closed", () => environment.named(topics.journal, "WindowClosed").length === 2);
  const uetr = environment.uetr();
  await environment.hold(uetr);
  const release = { scheme: "ZA_EFT", businessDate: "2026-11-20", windowNumber: 1, bank: schedulerBank };
  await environment.append(topics.journal, uetr, { name: "Release", value: release });
  await environment.time.advance(5_000);
  expect(environment.events(uetr).at(-1)).toBe("4 HELD");
  expect(inbound(environment)).toEqual([]);
});

test("I8: per bank and partition debits leave in order of receipt, within the partition's share of the bank's limit [D9.43] [D9.45]", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1, maxUnacknowledged: 3 });
  await environment.scheduler();
  const uetrs = Array.from({ length: 9 }, () => environment.uetr());
  for (const [index, uetr] of uetrs.toReversed().entries()) await environment.hold(uetr, schedulerStartAtMs - index);
  const released = () => inbound(environment);
  for (let out = 3; out <= 9; out += 1) {
    await environment.until(`${out} released`, () => released().length >= out);
    await environment.time.advance(200);
    expect(released()).toEqual(uetrs.slice(0, out));
    await environment.append(topics.journal, uetrs[out - 3]!, environment.deliveryEnded(uetrs[out - 3]!, "D"));
  }
});

test("I10: a debit without a report at the close becomes exactly one item, its delivery is stopped, and the stop sets the row [3 RECONCILIATION] [7.7]", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("item", () => environment.events(uetr).length === 6);
  expect(environment.events(uetr).at(-1)).toBe("6 RECONCILIATION");
  const stops = () => environment.named(topics.dispatch, "DispatchChange").map(({ decoded }) => decoded.value.messageIdentification);
  expect(stops()).toEqual([`${toHex(uetr)}D`]);
  await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "D", "STOPPED"));
  await environment.time.advance(5_000);
  const { transaction } = (await environment.document(uetr))!;
  expect(transaction.items).toMatchObject([{ day: schedulerDay, row: 7, state: "RELEASED" }]);
  const items = await environment.settle(environment.store.transactions.items(schedulerDay, null, 100));
  expect(items.map((one) => one.uetr)).toEqual([uetr]);
});

test("I10: every unresolved debit of the day is closed at the close, also one that has no further fact [7.4]", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 3 });
  await environment.scheduler();
  const received = Array.from({ length: 20 }, () => environment.uetr());
  for (const uetr of received) await environment.append(topics.journal, uetr, environment.debit(uetr));
  await environment.until("woken", () => received.every((uetr) => environment.events(uetr).length === 2));
  expect(received.map((uetr) => environment.events(uetr).at(-1))).toEqual(received.map(() => "2 RECONCILIATION"));
  expect(environment.named(topics.journal, "DayClosed")).toHaveLength(20);
});

/**
 * Loses the first scheduler's facts of one kind for three seconds, so that its positions are written; then kills it.
 */
function dyingBefore(fact: string): { readonly environment: SchedulerEnvironment; readonly isKilled: () => boolean } {
  let firstMs: number | null = null;
  let isKilled = false;
  const environment: SchedulerEnvironment = new SchedulerEnvironment({
    brokerHooks: {
      produce(client, batch) {
        if (client !== "scheduler-1" || !batch.some((record) => record.headers[headers.type] === fact)) return { kind: "append" };
        firstMs ??= environment.time.nowMs();
        // Not before the loss is known: a record that is being sent when a client dies may still arrive.
        if (environment.time.nowMs() - firstMs > 3_000) environment.time.after(100, die);
        return { kind: "lose-request" };
      },
    },
  });
  function die(): void {
    // The second timer would kill the next scheduler.
    if (isKilled) return;
    isKilled = true;
    environment.kill();
  }
  return { environment, isKilled: () => isKilled };
}

test("I10: debits that were left at the close because the scheduler died are closed by the next owner", async () => {
  const { environment, isKilled } = dyingBefore("DayClosed");
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.append(topics.journal, uetr, environment.debit(uetr));
  await environment.until("killed", isKilled);
  await environment.scheduler();
  await environment.until("woken", () => environment.events(uetr).length === 2);
  expect(environment.events(uetr)).toEqual(numbered(["RECEIVED", "RECONCILIATION"]));
});

test("a declaration that a partition did not answer because the scheduler died is answered by the next owner", async () => {
  const { environment, isKilled } = dyingBefore("PartitionCredits");
  await environment.scheduler();
  await environment.until("killed", isKilled);
  await environment.scheduler();
  await environment.until("gate", () => environment.named(topics.journal, "GateOpened").length >= 2, 30_000);
  expect(environment.named(topics.journal, "GateOpened").map(({ partition }) => partition)).toEqual([0, 1]);
});

test("I3: a crash between write and produce is repaired by replay, with the same ids and bytes", async () => {
  const lost: OutgoingRecord[] = [];
  const environment: SchedulerEnvironment = new SchedulerEnvironment({
    brokerHooks: {
      produce(client, batch) {
        const events = batch.filter(({ topic }) => topic === topics.events || topic === topics.dispatch);
        if (lost.length > 0 || client !== "scheduler-1" || events.length === 0) return { kind: "append" };
        lost.push(...events);
        environment.kill();
        return { kind: "lose-request" };
      },
    },
  });
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("killed", () => lost.length > 0);
  expect((await environment.document(uetr))!.transaction.transitions.length).toBeGreaterThan(0);
  await environment.scheduler();
  await environment.until("replayed", () => environment.events(uetr).length >= 4);
  const written = [...environment.records(topics.events), ...environment.records(topics.dispatch)];
  for (const { value, key } of lost) {
    const same = written.filter((record) => Buffer.compare(record.value!, value!) === 0 && Buffer.compare(record.key!, key!) === 0);
    expect(same.length).toBeGreaterThan(0);
  }
});

test("I3: outputs whose answer was lost are produced again as they were; nothing else changes", async () => {
  let lost = 0;
  const environment = new SchedulerEnvironment({
    brokerHooks: {
      produce(client, batch) {
        const isOutput = batch.some(({ topic }) => topic === topics.events);
        if (!client.startsWith("scheduler") || !isOutput || lost >= 3) return { kind: "append" };
        lost += 1;
        return { kind: "lose-answer" };
      },
    },
  });
  const scheduler = await environment.scheduler();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("released", () => environment.events(uetr).length === 5);
  const bodies = new Map<string, Set<string>>();
  for (const { decoded } of environment.named(topics.events, "TransactionStateEvent")) {
    const { id, body } = decoded.value;
    bodies.set(id, (bodies.get(id) ?? new Set()).add(Buffer.from(body).toString("hex")));
  }
  expect([...bodies.values()].map((different) => different.size)).toEqual([1, 1, 1, 1, 1]);
  expect(environment.named(topics.events, "TransactionStateEvent").length).toBeGreaterThan(5);
  expect(scheduler.failures).toEqual([]);
});

test("a take-over in the middle of a window: held debits go on leaving in order, none a second time", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1, maxUnacknowledged: 2 });
  const first = await environment.scheduler();
  const uetrs = Array.from({ length: 6 }, () => environment.uetr());
  for (const [index, uetr] of uetrs.entries()) await environment.hold(uetr, schedulerStartAtMs + index);
  await environment.until("two released", () => inbound(environment).length === 2);
  first.kill();
  await environment.scheduler();
  await environment.time.advance(10_000);
  expect(inbound(environment)).toHaveLength(2);
  for (const uetr of uetrs) {
    await environment.until("released", () => inbound(environment).includes(uetr), 30_000);
    await complete(environment, uetr);
  }
  await environment.until("completed", () => uetrs.every((uetr) => environment.events(uetr).length === 7));
  expect(inbound(environment)).toEqual(uetrs);
});

test("a stale owner that was cut off loses; every debit still has one path", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 2 });
  const first = await environment.scheduler();
  await environment.scheduler();
  const uetrs = Array.from({ length: 8 }, () => environment.uetr());
  for (const uetr of uetrs.slice(0, 4)) await environment.hold(uetr);
  first.client.cut(12_000);
  for (const uetr of uetrs.slice(4)) await environment.hold(uetr);
  await environment.until("all released", () => inbound(environment).length === 8);
  for (const uetr of uetrs) await complete(environment, uetr);
  await environment.until("all completed", () => uetrs.every((uetr) => environment.events(uetr).length === 7));
  for (const uetr of uetrs) expect(environment.events(uetr)).toEqual(numbered(completed));
  expect(first.failures).toEqual([]);
});

test("a partition whose epoch was raised by no owner of the group is taken again by the owner that the group names", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const scheduler = await environment.scheduler();
  const [before, after] = [environment.uetr(), environment.uetr()];
  await environment.hold(before);
  await environment.until("held", () => environment.events(before).length === 4);
  await environment.settle(environment.store.partitions.takeOver("scheduler", 0));
  await environment.hold(after);
  await environment.until("released", () => environment.events(after).length === 5 && environment.events(before).length === 5);
  expect(scheduler.failures).toEqual([]);
});

test("a store that fails, in doubt or not, makes partitions wait; nothing is lost and nothing happens twice", async () => {
  const random = seededRandom("trouble");
  const kinds = ["down", "ambiguous", "torn", "none", "none", "none", "none", "none"] as const;
  // Waits between tries may be ten seconds each: the window is longer than many of them.
  const times = { ...environmentTimes, processing: [{ opens: "07:00:10", closes: "07:20:00" }], reconciliation: "07:30:00" };
  const environment = new SchedulerEnvironment({
    times,
    storeHooks: { fault: () => kinds[Math.floor(random.fraction() * kinds.length)]! },
  });
  const scheduler = await environment.scheduler();
  const uetrs = Array.from({ length: 5 }, () => environment.uetr());
  for (const uetr of uetrs) await environment.hold(uetr);
  await environment.until("all released", () => uetrs.every((uetr) => environment.events(uetr).length >= 5), 20 * 60_000);
  for (const uetr of uetrs) expect(environment.events(uetr)).toEqual(numbered(completed.slice(0, 5)));
  expect(scheduler.failures).toEqual([]);
});

test("a record that is unreadable in itself goes to the dead letters with its reason, and the partition continues", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetr = environment.uetr();
  const key = Buffer.from(uetr);
  await environment.appendRaw(0, key, Uint8Array.of(7, 7, 7, 7, 7, 7));
  await environment.appendRaw(0, null, Uint8Array.of(0));
  await environment.appendRaw(0, key, null);
  await environment.append(topics.journal, uetr, { name: "DayClosed", value: { day: schedulerDay } });
  const other = environment.uetr();
  await environment.hold(other);
  await environment.until("held", () => environment.events(other).length === 4);
  const letters = environment.named(topics.deadLetters, "DeadLetter").map(({ decoded }) => decoded.value);
  expect(letters.map(({ reason }) => reason)).toEqual(["first byte is 7, not 0", "no key", "no value"]);
  expect([...letters[0]!.value!]).toEqual([7, 7, 7, 7, 7, 7]);
});

test("a record of a schema that is not known yet makes its partition wait, which then continues by itself", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  let isKnown = false;
  const uetr = environment.uetr();
  const { serde } = environment;
  const scheduler = await environment.scheduler({
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
  await environment.hold(uetr);
  await environment.time.advance(1_000);
  expect(environment.events(uetr)).toEqual(["1 RECEIVED"]);
  expect(scheduler.readiness().isReady).toBe(false);
  isKnown = true;
  await environment.until("held", () => environment.events(uetr).length === 4);
  expect(environment.named(topics.deadLetters, "DeadLetter")).toEqual([]);
});

test("several facts of one debit in one batch make one write", async () => {
  const writes: string[] = [];
  const environment = new SchedulerEnvironment({
    partitionCount: 1,
    storeHooks: {
      observe: ({ operation, key }) => {
        if (operation === "transactions.write") writes.push(key);
      },
    },
  });
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.scheduler();
  await environment.until("held", () => environment.events(uetr).length === 4);
  expect(writes).toEqual([uetr]);
});

function unknownSchema(): Fault {
  return new Fault("contracts.unknown-schema", "schema 99 is not known here", { isRetryable: true });
}
