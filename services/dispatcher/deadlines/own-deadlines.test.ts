// What ends attempts, and what ends a delivery: a credit has a time at which attempts stop, an outcome report has none,
// a report of the outcome has a deadline.

import { topics } from "@sluice/contracts";
import { deliveryStartMs } from "@sluice/delivery/delivery-environment";
import { sampleBank, sampleConnector } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import {
  buildCreditDispatch,
  createDispatcherEnvironment,
  dispatchMessageId,
  buildOutcomeDispatch,
  buildStop,
  type DispatcherEnvironment,
} from "../dispatcher.fixture.ts";

const minuteMs = 60_000;
const stopsAtMs = deliveryStartMs + 30 * minuteMs;
const runTo = async (environment: DispatcherEnvironment, atMs: number) => environment.time.advance(atMs - environment.time.nowMs());
const gapsBetween = (times: readonly number[]): number[] => times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));

describe("each message to its receiver", { timeout: 30_000 }, () => {
  it("reports, debits and credits go to banks, outcome reports to the connector; a 202 of either is a fact with the operation [4 outboundDirectDebitResponse] [4 inboundDirectDebit] [8 ack-202] [D2 addresses]", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    await environment.dispatch(
      { messageIdentification: dispatchMessageId(1) },
      { messageIdentification: dispatchMessageId(2, "D") },
      buildCreditDispatch(3, stopsAtMs),
      buildOutcomeDispatch(4),
      buildOutcomeDispatch(5, { operation: "inboundCreditTransferAuthorizationResponse" }),
    );
    await environment.until(() => environment.receipts().length === 5);
    const expected = [
      [dispatchMessageId(1), "first", "outboundDirectDebitResponse"],
      [dispatchMessageId(2, "D"), "first", "inboundDirectDebit"],
      [dispatchMessageId(3, "C"), "first", "inboundCreditTransferAuthorization"],
      [dispatchMessageId(4, "O1"), "clearing", "inboundDirectDebitResponse"],
      [dispatchMessageId(5, "O1"), "clearing", "inboundCreditTransferAuthorizationResponse"],
    ];
    expect(environment.received).toHaveLength(expected.length);
    expect(environment.received.map(({ id, receiverId, operation }) => [id, receiverId, operation])).toEqual(
      expect.arrayContaining(expected),
    );
    for (const [id, , operation] of expected) {
      expect(environment.ended().find(({ messageIdentification }) => messageIdentification === id)).toMatchObject({
        operation,
        outcome: "ACKNOWLEDGED",
        httpStatusCode: 202,
        mayHaveBeenTaken: false,
      });
    }
  });

  it("I3: a message whose record has no trace gets one, the same on every attempt, and none of another message [D8 headers]", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(({ attempt }) => (attempt < 3 ? 503 : 202));
    await environment.dispatch(buildOutcomeDispatch(1), buildOutcomeDispatch(2));
    await environment.until(() => environment.receipts().length === 2);
    const tracesOf = (number: number): Set<string | undefined> =>
      new Set(environment.attemptsOf(dispatchMessageId(number, "O1")).map(({ headers }) => headers["traceparent"]));
    const [first, second] = [[...tracesOf(1)], [...tracesOf(2)]];
    expect([first.length, second.length]).toEqual([1, 1]);
    expect(first[0]).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(first[0]).not.toBe(second[0]);
    for (const { headers, id, atMs } of environment.received) {
      expect(headers).toMatchObject({ "webhook-id": id, "idempotency-key": id, "webhook-timestamp": String(Math.floor(atMs / 1_000)) });
    }
  });

  it("I14: a connector that hangs delays no bank of the same partition, nor a bank the connector", async () => {
    const environment = createDispatcherEnvironment({
      connectors: [sampleConnector({ connections: 2 })],
      bounds: { bufferedRecordsMax: 80 },
    });
    await environment.start();
    environment.answers(({ receiverId: bank }) => (bank === "clearing" ? "silent" : 202));
    await environment.dispatch(...Array.from({ length: 200 }, (_, index) => buildOutcomeDispatch(1_000 + index)));
    await environment.dispatch(...Array.from({ length: 20 }, (_, index) => buildCreditDispatch(index + 1, stopsAtMs)));
    await environment.until(() => environment.endedIds().size === 20, 5_000);
    environment.answers(({ receiverId: bank }) => (bank === "clearing" ? 202 : "silent"));
    await environment.dispatch(buildCreditDispatch(50, stopsAtMs), buildOutcomeDispatch(50));
    await environment.until(() => environment.endedIds().size === 221, 10 * minuteMs);
    expect(environment.endedIds().has(dispatchMessageId(50, "C"))).toBe(false);
  });
});

describe("a credit with a time of its own at which attempts stop", { timeout: 30_000 }, () => {
  it("is not ended by a clock: attempts stop then, over a restart too, and only the stop ends it, with its attempts [D3 deadlines]", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    environment.answers(() => 503);
    await environment.dispatch(buildCreditDispatch(1, stopsAtMs));
    await runTo(environment, stopsAtMs - minuteMs);
    const before = environment.received.length;
    await runTo(environment, stopsAtMs + 20 * minuteMs);
    const attempts = environment.received.length;
    expect(attempts).toBeGreaterThan(before);
    expect(environment.received.at(-1)?.atMs).toBeLessThanOrEqual(stopsAtMs + 100);
    await first.stop();
    await environment.start();
    await environment.time.advance(60 * minuteMs);
    expect(environment.received).toHaveLength(attempts);
    expect([environment.ended(), environment.receipts()]).toEqual([[], []]);
    expect(await environment.parked("deliveries")).toMatchObject([{ id: dispatchMessageId(1, "C"), stopsAtMs, ended: null, attempts }]);
    await environment.stop({ ...buildStop(1, "C"), causedByOffset: 9n });
    await environment.until(() => environment.receipts().length === 1);
    expect(environment.ended()).toMatchObject([
      {
        operation: "inboundCreditTransferAuthorization",
        outcome: "STOPPED",
        attempts,
        anyAnswer: true,
        mayHaveBeenTaken: true,
        stopOffset: 9n,
      },
    ]);
    await environment.time.advance(1_000);
    expect(await environment.parked("deliveries")).toEqual([]);
  });

  it("is parked without an attempt if it comes after its time, and does not delay the bank's other messages", async () => {
    const environment = createDispatcherEnvironment({ bounds: { untriedInMemoryMax: 8 } });
    await environment.start();
    await environment.dispatch(...Array.from({ length: 30 }, (_, index) => buildCreditDispatch(index + 1, deliveryStartMs - 1)));
    await environment.dispatch(buildCreditDispatch(40, stopsAtMs));
    await environment.until(() => environment.endedIds().size === 1, 2_000);
    await environment.time.advance(20 * minuteMs);
    expect(environment.received.map(({ id }) => id)).toEqual([dispatchMessageId(40, "C")]);
    expect(await environment.parked("deliveries")).toHaveLength(30);
    await environment.stop(buildStop(1, "C"));
    await environment.until(() => environment.ended().length === 2);
    expect(environment.ended()[1]).toMatchObject({ outcome: "STOPPED", attempts: 0, anyAnswer: false, mayHaveBeenTaken: false });
  });

  it("has one attempt before its time despite Retry-After [D3 retry-after]", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(() => ({ status: 503, retryAfter: "900" }));
    await environment.dispatch(buildCreditDispatch(1, deliveryStartMs + 2 * minuteMs));
    await environment.time.advance(10 * minuteMs);
    expect(environment.received.map(({ atMs }) => Math.round((atMs - deliveryStartMs) / 1_000))).toEqual([0, 115, 116, 117, 118, 119]);
  });

  it.each([
    ["acknowledged", 202, ["ACKNOWLEDGED"], false],
    ["refused", 422, ["REFUSED", "STOPPED"], false],
    ["not answered", 503, ["STOPPED"], true],
  ] as const)("a stop waits for a running attempt: it is %s, and the journal says so", async (_, status, outcomes, mayHaveBeenTaken) => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(() => ({ status, afterMs: 3_000 }));
    await environment.dispatch(buildCreditDispatch(1, deliveryStartMs + 1_000));
    await environment.until(() => environment.received.length === 1);
    await environment.time.advance(1_500);
    await environment.stop(buildStop(1, "C"));
    await environment.time.advance(500);
    expect(environment.ended()).toEqual([]);
    await environment.until(() => environment.ended().length === outcomes.length);
    expect(environment.ended().map((fact) => [fact.outcome, fact.attempts, fact.mayHaveBeenTaken])).toEqual(
      outcomes.map((ended) => [ended, 1, mayHaveBeenTaken]),
    );
    await environment.time.advance(5 * minuteMs);
    expect(environment.received).toHaveLength(1);
    expect(await environment.parked("deliveries")).toEqual([]);
  });
});

describe("a day whose close is near", { timeout: 30_000 }, () => {
  it("I7: a message that waits beyond it does not delay the next one of its key", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(({ attempt, id }) => (id === dispatchMessageId(1) && attempt === 1 ? 404 : 202));
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) });
    await environment.until(() => environment.received.length === 1);
    await environment.time.advance(1_000);
    await environment.dayTimes(1, environment.time.nowMs() + 2_000);
    await environment.dispatch(buildCreditDispatch(1, stopsAtMs));
    await environment.until(() => environment.endedIds().has(dispatchMessageId(1, "C")), 10_000);
    expect(environment.attemptsOf(dispatchMessageId(1))).toHaveLength(1);
  });
});

describe("a message that waits for its bank", { timeout: 30_000 }, () => {
  it("I9: is not tried if its time passes meanwhile", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", connections: 1 })] });
    await environment.start();
    environment.answers(() => ({ status: 202, afterMs: 200 }));
    await environment.dispatch(...[1, 2, 3, 4].map((number) => buildCreditDispatch(number, stopsAtMs)));
    await environment.until(() => environment.received.length === 1);
    const soonMs = environment.time.nowMs() + 300;
    await environment.dispatch(buildCreditDispatch(9, soonMs));
    await environment.until(() => environment.endedIds().size === 4);
    await environment.time.advance(5 * minuteMs);
    expect(environment.attemptsOf(dispatchMessageId(9, "C"))).toEqual([]);
    expect((await environment.parked("deliveries")).map(({ id }) => id)).toEqual([dispatchMessageId(9, "C")]);
  });
});

describe("an outcome report", { timeout: 30_000 }, () => {
  it("I7: is tried at least every 15 min while the connector is down past the close, over restarts, and delivered when it is back [D7 off-us] [D3 back-off]", async () => {
    const environment = createDispatcherEnvironment();
    let process = await environment.start();
    let isUp = false;
    environment.answers(({ attempt }) =>
      isUp ? 202 : (["silent", 503, 404, { status: 503, retryAfter: "99999" }] as const)[attempt % 4]!,
    );
    await environment.dayTimes(1, deliveryStartMs + 60 * minuteMs);
    await environment.dispatch(
      buildOutcomeDispatch(1),
      buildOutcomeDispatch(2, { operation: "inboundCreditTransferAuthorizationResponse" }),
    );
    await runTo(environment, deliveryStartMs + 90 * minuteMs);
    await environment.dayReconciled();
    await runTo(environment, deliveryStartMs + 6 * 60 * minuteMs);
    await process.stop();
    process = await environment.start();
    await runTo(environment, deliveryStartMs + 30 * 60 * minuteMs);
    process.kill();
    await environment.start();
    await runTo(environment, deliveryStartMs + 31 * 60 * minuteMs);
    expect(environment.ended()).toEqual([]);
    const times = [...environment.received.map(({ atMs }) => atMs), environment.time.nowMs()];
    expect(Math.max(...gapsBetween(times))).toBeLessThan(15 * minuteMs + 20_000);
    for (const number of [1, 2]) expect(environment.attemptsOf(dispatchMessageId(number, "O1")).length).toBeGreaterThan(40);
    isUp = true;
    await environment.until(() => environment.ended().length === 2, 16 * minuteMs);
    expect(environment.ended().map((fact) => [fact.outcome, fact.httpStatusCode])).toEqual([
      ["ACKNOWLEDGED", 202],
      ["ACKNOWLEDGED", 202],
    ]);
    expect(new Set(environment.received.map(({ id, body }) => `${id} ${body}`)).size).toBe(2);
    await environment.time.advance(1_000);
    expect(await environment.parked("deliveries")).toEqual([]);
  });

  it("is a fact at once if it is refused for good, stays parked, and delays nothing [D3 not-recoverable]", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(({ id }) => (id === dispatchMessageId(1, "O1") ? 400 : 202));
    await environment.dispatch(buildOutcomeDispatch(1), buildOutcomeDispatch(2));
    await environment.until(() => environment.ended().length === 2);
    await environment.time.advance(24 * 60 * minuteMs);
    expect(environment.attemptsOf(dispatchMessageId(1, "O1"))).toHaveLength(1);
    expect(await environment.parked("deliveries")).toMatchObject([{ id: dispatchMessageId(1, "O1"), ended: "refused" }]);
  });

  it("a stop of a parked one names its operation, on a debit or on a credit", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(() => 503);
    await environment.dispatch(
      buildOutcomeDispatch(1),
      buildOutcomeDispatch(2, { operation: "inboundCreditTransferAuthorizationResponse" }),
    );
    await environment.until(() => environment.received.length > 3);
    for (const number of [1, 2]) await environment.stop({ ...buildStop(number, "O1"), bank: "clearing" });
    await environment.until(() => environment.ended().length === 2);
    const operations = new Map(environment.ended().map(({ messageIdentification, operation }) => [messageIdentification, operation]));
    expect(operations.get(dispatchMessageId(1, "O1"))).toBe("inboundDirectDebitResponse");
    expect(operations.get(dispatchMessageId(2, "O1"))).toBe("inboundCreditTransferAuthorizationResponse");
  });

  it("a report of the outcome to the initiating side ends at its own deadline, without a fact [D4 S]", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(() => 503);
    const own = {
      messageIdentification: dispatchMessageId(1, "S"),
      deliveryKey: dispatchMessageId(1, "S"),
      reconciliationDay: null,
      deadlineMs: stopsAtMs,
    };
    await environment.dispatch(own);
    await environment.until(() => environment.receipts().length === 1, 60 * minuteMs);
    expect(environment.receipts()).toMatchObject([{ outcome: "EXPIRED", operation: "outboundDirectDebitResponse" }]);
    expect(environment.broker.records({ topic: topics.journal, partition: 0 })).toEqual([]);
    await environment.time.advance(1_000);
    expect(await environment.parked("deliveries")).toEqual([]);
  });

  it("a message whose deadline passes during its attempt ends with that attempt, and may have been taken [D3 evidence]", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(() => "silent");
    await environment.dispatch({
      messageIdentification: dispatchMessageId(1, "S"),
      reconciliationDay: null,
      deadlineMs: environment.time.nowMs() + 3_000,
    });
    await environment.until(() => environment.received.length === 1);
    await environment.time.advance(3_500);
    await environment.stop(buildStop(1, "S"));
    await environment.until(() => environment.receipts().length === 1 && environment.ended().length === 1);
    expect(environment.receipts()).toMatchObject([{ outcome: "EXPIRED", attempts: 1 }]);
    expect(environment.ended()).toMatchObject([{ outcome: "STOPPED", mayHaveBeenTaken: true }]);
  });
});

describe("an unknown operation", { timeout: 30_000 }, () => {
  it("an operation of a newer writer stops its key with a warning, and other keys continue", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first" })] });
    const { running } = await environment.start();
    await environment.dispatch(buildCreditDispatch(1, stopsAtMs, { operation: "somethingNew" }), buildCreditDispatch(2, stopsAtMs));
    await environment.until(() => environment.endedIds().size === 1);
    await environment.time.advance(minuteMs);
    expect(environment.endedIds()).toEqual(new Set([dispatchMessageId(2, "C")]));
    expect(running.readiness().isReady).toBe(false);
  });
});
