// What ends attempts, and what ends a delivery: a credit has a time of its own to stop at, an outcome has none, a report of the outcome a deadline.

import { topics } from "@sluice/contracts";
import { startAtMs } from "@sluice/delivery/delivery-world";
import { sampleBank, sampleConnector } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { credit, dispatcherWorld, messageId, outcome, stopOf, type DispatcherWorld } from "./dispatcher.fixture.ts";

const minuteMs = 60_000;
const stopsAtMs = startAtMs + 30 * minuteMs;
const runTo = async (world: DispatcherWorld, atMs: number) => world.time.advance(atMs - world.time.nowMs());
const gapsOf = (times: readonly number[]): number[] => times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));

describe("each message to its receiver", { timeout: 30_000 }, () => {
  it("reports, debits and credits go to banks, outcomes to the connector; a 202 of either is a fact with the operation [4 outboundDirectDebitResponse] [4 inboundDirectDebit] [8 ack-202] [D2 addresses]", async () => {
    const world = dispatcherWorld();
    await world.start();
    await world.dispatch(
      { messageIdentification: messageId(1) },
      { messageIdentification: messageId(2, "D") },
      credit(3, stopsAtMs),
      outcome(4),
      outcome(5, { operation: "inboundCreditTransferAuthorizationResponse" }),
    );
    await world.until(() => world.receipts().length === 5);
    const expected = [
      [messageId(1), "first", "outboundDirectDebitResponse"],
      [messageId(2, "D"), "first", "inboundDirectDebit"],
      [messageId(3, "C"), "first", "inboundCreditTransferAuthorization"],
      [messageId(4, "O1"), "clearing", "inboundDirectDebitResponse"],
      [messageId(5, "O1"), "clearing", "inboundCreditTransferAuthorizationResponse"],
    ];
    expect(world.received).toHaveLength(expected.length);
    expect(world.received.map(({ id, bank, operation }) => [id, bank, operation])).toEqual(expect.arrayContaining(expected));
    for (const [id, , operation] of expected) {
      expect(world.ended().find(({ messageIdentification }) => messageIdentification === id)).toMatchObject({
        operation,
        outcome: "ACKNOWLEDGED",
        httpStatusCode: 202,
        mayHaveBeenTaken: false,
      });
    }
  });

  it("I3: a message whose record has no trace gets one, the same on every attempt, and none of another message [D8 headers]", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(({ attempt }) => (attempt < 3 ? 503 : 202));
    await world.dispatch(outcome(1), outcome(2));
    await world.until(() => world.receipts().length === 2);
    const tracesOf = (number: number): Set<string | undefined> =>
      new Set(world.attemptsOf(messageId(number, "O1")).map(({ headers }) => headers["traceparent"]));
    const [first, second] = [[...tracesOf(1)], [...tracesOf(2)]];
    expect([first.length, second.length]).toEqual([1, 1]);
    expect(first[0]).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(first[0]).not.toBe(second[0]);
    for (const { headers, id, atMs } of world.received) {
      expect(headers).toMatchObject({ "webhook-id": id, "idempotency-key": id, "webhook-timestamp": String(Math.floor(atMs / 1_000)) });
    }
  });

  it("I14: a connector that hangs holds up no bank of the same lane, nor a bank the connector", async () => {
    const world = dispatcherWorld({ connectors: [sampleConnector({ connections: 2 })], bounds: { bufferedRecordsMax: 80 } });
    await world.start();
    world.answers(({ bank }) => (bank === "clearing" ? "silent" : 202));
    await world.dispatch(...Array.from({ length: 200 }, (_, index) => outcome(1_000 + index)));
    await world.dispatch(...Array.from({ length: 20 }, (_, index) => credit(index + 1, stopsAtMs)));
    await world.until(() => world.endedIds().size === 20, 5_000);
    world.answers(({ bank }) => (bank === "clearing" ? 202 : "silent"));
    await world.dispatch(credit(50, stopsAtMs), outcome(50));
    await world.until(() => world.endedIds().size === 221, 10 * minuteMs);
    expect(world.endedIds().has(messageId(50, "C"))).toBe(false);
  });
});

describe("a credit has a time of its own to stop at", { timeout: 30_000 }, () => {
  it("no clock ends it: attempts stop then, over a restart too, and only the stop brings its end, with what was tried [D3 deadlines]", async () => {
    const world = dispatcherWorld();
    const first = await world.start();
    world.answers(() => 503);
    await world.dispatch(credit(1, stopsAtMs));
    await runTo(world, stopsAtMs - minuteMs);
    const before = world.received.length;
    await runTo(world, stopsAtMs + 20 * minuteMs);
    const attempts = world.received.length;
    expect(attempts).toBeGreaterThan(before);
    expect(world.received.at(-1)?.atMs).toBeLessThanOrEqual(stopsAtMs + 100);
    await first.stop();
    await world.start();
    await world.time.advance(60 * minuteMs);
    expect(world.received).toHaveLength(attempts);
    expect([world.ended(), world.receipts()]).toEqual([[], []]);
    expect(await world.parked("deliveries")).toMatchObject([{ id: messageId(1, "C"), stopsAtMs, ended: null, attempts }]);
    await world.stop({ ...stopOf(1, "C"), causedByOffset: 9n });
    await world.until(() => world.receipts().length === 1);
    expect(world.ended()).toMatchObject([
      {
        operation: "inboundCreditTransferAuthorization",
        outcome: "STOPPED",
        attempts,
        anyAnswer: true,
        mayHaveBeenTaken: true,
        stopOffset: 9n,
      },
    ]);
    await world.time.advance(1_000);
    expect(await world.parked("deliveries")).toEqual([]);
  });

  it("one that comes after its time is parked without an attempt, and the bank's others are not held up by it", async () => {
    const world = dispatcherWorld({ bounds: { pageMessagesMax: 8 } });
    await world.start();
    await world.dispatch(...Array.from({ length: 30 }, (_, index) => credit(index + 1, startAtMs - 1)));
    await world.dispatch(credit(40, stopsAtMs));
    await world.until(() => world.endedIds().size === 1, 2_000);
    await world.time.advance(20 * minuteMs);
    expect(world.received.map(({ id }) => id)).toEqual([messageId(40, "C")]);
    expect(await world.parked("deliveries")).toHaveLength(30);
    await world.stop(stopOf(1, "C"));
    await world.until(() => world.ended().length === 2);
    expect(world.ended()[1]).toMatchObject({ outcome: "STOPPED", attempts: 0, anyAnswer: false, mayHaveBeenTaken: false });
  });

  it("Retry-After leaves one attempt before it [D3 retry-after]", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(() => ({ status: 503, retryAfter: "900" }));
    await world.dispatch(credit(1, startAtMs + 2 * minuteMs));
    await world.time.advance(10 * minuteMs);
    expect(world.received.map(({ atMs }) => Math.round((atMs - startAtMs) / 1_000))).toEqual([0, 115, 116, 117, 118, 119]);
  });

  it.each([
    ["acknowledged", 202, ["ACKNOWLEDGED", "STOPPED"], false],
    ["refused", 422, ["REFUSED", "STOPPED"], false],
    ["not answered", 503, ["STOPPED"], true],
  ] as const)(
    "an attempt under way when the stop comes is waited for: %s, and the stop says so",
    async (_, status, outcomes, mayHaveBeenTaken) => {
      const world = dispatcherWorld();
      await world.start();
      world.answers(() => ({ status, afterMs: 3_000 }));
      await world.dispatch(credit(1, startAtMs + 1_000));
      await world.until(() => world.received.length === 1);
      await world.time.advance(1_500);
      await world.stop(stopOf(1, "C"));
      await world.time.advance(500);
      expect(world.ended()).toEqual([]);
      await world.until(() => world.ended().length === outcomes.length);
      expect(world.ended().map((fact) => [fact.outcome, fact.attempts, fact.mayHaveBeenTaken])).toEqual(
        outcomes.map((ended) => [ended, 1, mayHaveBeenTaken]),
      );
      await world.time.advance(5 * minuteMs);
      expect(world.received).toHaveLength(1);
      expect(await world.parked("deliveries")).toEqual([]);
    },
  );
});

describe("a day whose close comes nearer", { timeout: 30_000 }, () => {
  it("I7: what waits for longer than that holds up nothing of its key after it", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(({ attempt, id }) => (id === messageId(1) && attempt === 1 ? 404 : 202));
    await world.dispatch({ messageIdentification: messageId(1) });
    await world.until(() => world.received.length === 1);
    await world.time.advance(1_000);
    await world.dayTimes(1, world.time.nowMs() + 2_000);
    await world.dispatch(credit(1, stopsAtMs));
    await world.until(() => world.endedIds().has(messageId(1, "C")), 10_000);
    expect(world.attemptsOf(messageId(1))).toHaveLength(1);
  });
});

describe("a message that waits for its bank", { timeout: 30_000 }, () => {
  it("I9: is not tried when its time passes meanwhile", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 1 })] });
    await world.start();
    world.answers(() => ({ status: 202, afterMs: 200 }));
    await world.dispatch(...[1, 2, 3, 4].map((number) => credit(number, stopsAtMs)));
    await world.until(() => world.received.length === 1);
    const soonMs = world.time.nowMs() + 300;
    await world.dispatch(credit(9, soonMs));
    await world.until(() => world.endedIds().size === 4);
    await world.time.advance(5 * minuteMs);
    expect(world.attemptsOf(messageId(9, "C"))).toEqual([]);
    expect((await world.parked("deliveries")).map(({ id }) => id)).toEqual([messageId(9, "C")]);
  });
});

describe("an outcome is told until it is acknowledged", { timeout: 30_000 }, () => {
  it("I7: a connector that is down past the close is tried at least every 15 min, over restarts, and told when it is back [D7 off-us] [D3 back-off]", async () => {
    const world = dispatcherWorld();
    let process = await world.start();
    let isUp = false;
    world.answers(({ attempt }) => (isUp ? 202 : (["silent", 503, 404, { status: 503, retryAfter: "99999" }] as const)[attempt % 4]!));
    await world.dayTimes(1, startAtMs + 60 * minuteMs);
    await world.dispatch(outcome(1), outcome(2, { operation: "inboundCreditTransferAuthorizationResponse" }));
    await runTo(world, startAtMs + 90 * minuteMs);
    await world.dayReconciled();
    await runTo(world, startAtMs + 6 * 60 * minuteMs);
    await process.stop();
    process = await world.start();
    await runTo(world, startAtMs + 30 * 60 * minuteMs);
    process.kill();
    await world.start();
    await runTo(world, startAtMs + 31 * 60 * minuteMs);
    expect(world.ended()).toEqual([]);
    const times = [...world.received.map(({ atMs }) => atMs), world.time.nowMs()];
    expect(Math.max(...gapsOf(times))).toBeLessThan(15 * minuteMs + 20_000);
    for (const number of [1, 2]) expect(world.attemptsOf(messageId(number, "O1")).length).toBeGreaterThan(40);
    isUp = true;
    await world.until(() => world.ended().length === 2, 16 * minuteMs);
    expect(world.ended().map((fact) => [fact.outcome, fact.httpStatusCode])).toEqual([
      ["ACKNOWLEDGED", 202],
      ["ACKNOWLEDGED", 202],
    ]);
    expect(new Set(world.received.map(({ id, body }) => `${id} ${body}`)).size).toBe(2);
    await world.time.advance(1_000);
    expect(await world.parked("deliveries")).toEqual([]);
  });

  it("one that is refused for good is a fact at once and stays parked; it holds nothing up [D3 not-recoverable]", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(({ id }) => (id === messageId(1, "O1") ? 400 : 202));
    await world.dispatch(outcome(1), outcome(2));
    await world.until(() => world.ended().length === 2);
    await world.time.advance(24 * 60 * minuteMs);
    expect(world.attemptsOf(messageId(1, "O1"))).toHaveLength(1);
    expect(await world.parked("deliveries")).toMatchObject([{ id: messageId(1, "O1"), ended: "refused" }]);
  });

  it("a stop of one that is parked says what it was, on a debit or on a credit", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(() => 503);
    await world.dispatch(outcome(1), outcome(2, { operation: "inboundCreditTransferAuthorizationResponse" }));
    await world.until(() => world.received.length > 3);
    for (const number of [1, 2]) await world.stop({ ...stopOf(number, "O1"), bank: "clearing" });
    await world.until(() => world.ended().length === 2);
    const operations = new Map(world.ended().map(({ messageIdentification, operation }) => [messageIdentification, operation]));
    expect(operations.get(messageId(1, "O1"))).toBe("inboundDirectDebitResponse");
    expect(operations.get(messageId(2, "O1"))).toBe("inboundCreditTransferAuthorizationResponse");
  });

  it("a report of the outcome to the initiating side ends by its own deadline, without a fact [D4 S]", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(() => 503);
    const own = { messageIdentification: messageId(1, "S"), deliveryKey: messageId(1, "S"), closesWith: null, deadlineMs: stopsAtMs };
    await world.dispatch(own);
    await world.until(() => world.receipts().length === 1, 60 * minuteMs);
    expect(world.receipts()).toMatchObject([{ outcome: "EXPIRED", operation: "outboundDirectDebitResponse" }]);
    expect(world.log.records({ topic: topics.journal, partition: 0 })).toEqual([]);
    await world.time.advance(1_000);
    expect(await world.parked("deliveries")).toEqual([]);
  });
});

describe("an address that is not known", { timeout: 30_000 }, () => {
  it("an operation of a newer writer stops its key, loudly, and others go on", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first" })] });
    const { running } = await world.start();
    await world.dispatch(credit(1, stopsAtMs, { operation: "somethingNew" }), credit(2, stopsAtMs));
    await world.until(() => world.endedIds().size === 1);
    await world.time.advance(minuteMs);
    expect(world.endedIds()).toEqual(new Set([messageId(2, "C")]));
    expect(running.readiness().isReady).toBe(false);
  });
});
