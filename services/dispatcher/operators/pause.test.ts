// What an operator's pause of a bank does to its deliveries, and what its resume does.

import { deliveryStartMs } from "@sluice/delivery/delivery-environment";
import { createMetrics } from "@sluice/service";
import { sampleBank } from "@sluice/testkit";
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
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const all = (count: number) => numbers(count).map((number) => ({ messageIdentification: dispatchMessageId(number) }));
const firstIds = (environment: DispatcherEnvironment): string[] =>
  environment.received.filter(({ attempt }) => attempt === 1).map(({ id }) => id);

async function pauseBank(environment: DispatcherEnvironment): Promise<DispatcherEnvironment> {
  await environment.start();
  await environment.pause();
  await environment.time.advance(1_000);
  return environment;
}

describe("a paused bank", { timeout: 30_000 }, () => {
  it("gets nothing new: messages are parked untried, and leave in order once it is resumed (I4)", async () => {
    const environment = await pauseBank(createDispatcherEnvironment({ banks: [sampleBank({ id: "first", connections: 1 })] }));
    await environment.dispatch(...all(5));
    await environment.time.advance(60 * minuteMs);
    expect(environment.received).toEqual([]);
    expect((await environment.parked("deliveries")).map(({ id, attempts }) => [id, attempts])).toEqual(
      numbers(5).map((n) => [dispatchMessageId(n), 0]),
    );
    await environment.dispatch({ messageIdentification: dispatchMessageId(6) });
    await environment.resume();
    await environment.until(() => environment.endedIds().size === 6, 1_000);
    expect(firstIds(environment)).toEqual(numbers(6).map((number) => dispatchMessageId(number)));
    await environment.time.advance(1_000);
    expect(await environment.parked("deliveries")).toEqual([]);
  });

  it("gets no retries either, however long the pause lasts; once resumed, all its heads are due at once", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(({ id }) => ({ status: id === dispatchMessageId(1) ? 404 : 503, retryAfter: "900" }));
    await environment.dispatch(...all(3));
    await environment.until(() => environment.received.length === 3);
    await environment.pause();
    await environment.time.advance(1_000);
    const calls: string[] = [];
    environment.hooks.store.observe = ({ operation }) => void calls.push(operation);
    await environment.time.advance(60 * minuteMs);
    // A look at the store reads versions of rows, and no message.
    expect(calls.filter((operation) => operation.startsWith("deliveries") && operation !== "deliveries.versions")).toEqual([]);
    environment.answers(() => 202);
    expect(environment.received).toHaveLength(3);
    await environment.resume();
    await environment.until(() => environment.endedIds().size === 3, 500);
    expect(environment.ended().map(({ attempts, outcome }) => [attempts, outcome])).toEqual(numbers(3).map(() => [2, "ACKNOWLEDGED"]));
  });

  it("lets a running attempt end with its result; a failed one waits for the resume", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", connections: 2 })] });
    await environment.start();
    environment.answers(({ id }) => ({ status: id === dispatchMessageId(1) ? 202 : 503, afterMs: 3_000 }));
    await environment.dispatch(...all(2));
    await environment.until(() => environment.received.length === 2);
    await environment.pause();
    await environment.time.advance(20 * minuteMs);
    expect(environment.received).toHaveLength(2);
    expect(environment.ended()).toMatchObject([
      { messageIdentification: dispatchMessageId(1), outcome: "ACKNOWLEDGED", isReceiverPaused: true },
    ]);
    expect(await environment.parked("deliveries")).toMatchObject([{ id: dispatchMessageId(2), attempts: 1 }]);
    environment.answers(() => 202);
    await environment.resume();
    await environment.until(() => environment.endedIds().size === 2, 500);
    expect(environment.ended().at(-1)).toMatchObject({ attempts: 2, isReceiverPaused: false });
  });

  it("gets no message that waits for a slot when the pause comes", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", connections: 1 })] });
    await environment.start();
    environment.answers(() => ({ status: 202, afterMs: 200 }));
    await environment.dispatch(...all(2));
    await environment.until(() => environment.received.length === 1);
    await environment.pause();
    await environment.time.advance(minuteMs);
    expect(environment.received).toHaveLength(1);
    await environment.resume();
    await environment.until(() => environment.endedIds().size === 2, 1_000);
  });

  it("gets no retry that waits for a slot when the pause comes", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", connections: 2 })] });
    await environment.start();
    environment.answers(({ attempt }) => (attempt === 1 ? 503 : { status: 202, afterMs: 3_000 }));
    await environment.dispatch(...all(2));
    await environment.until(() => environment.received.length === 3);
    await environment.time.advance(1_000);
    await environment.pause();
    await environment.time.advance(30 * minuteMs);
    expect(environment.received).toHaveLength(3);
    await environment.resume();
    await environment.until(() => environment.endedIds().size === 2, 5_000);
  });

  it("I14: does not affect other banks and connectors", async () => {
    const environment = await pauseBank(
      createDispatcherEnvironment({
        banks: [sampleBank({ id: "first" }), sampleBank({ id: "second" })],
        bounds: { bufferedRecordsMax: 16 },
      }),
    );
    await environment.dispatch(...all(200));
    await environment.dispatch(
      ...numbers(20).map((n) => ({ messageIdentification: dispatchMessageId(n + 200), bank: "second" })),
      buildOutcomeDispatch(300),
    );
    await environment.until(() => environment.endedIds().size === 21, 2_000);
    expect(new Set(environment.received.map(({ receiverId }) => receiverId))).toEqual(new Set(["second", "clearing"]));
    await environment.pause(1, "clearing");
    await environment.dispatch(buildOutcomeDispatch(301), { messageIdentification: dispatchMessageId(400), bank: "second" });
    await environment.time.advance(minuteMs);
    expect(environment.endedIds().has(dispatchMessageId(400))).toBe(true);
    expect(environment.attemptsOf(dispatchMessageId(301, "O1"))).toEqual([]);
  });

  it("gets a backlog far beyond memory in the order of the topic when it is resumed, before anything new (I4, I15)", async () => {
    const environment = await pauseBank(
      createDispatcherEnvironment({
        banks: [sampleBank({ id: "first", connections: 1 })],
        bounds: { untriedInMemoryMax: 8, scanMessagesMax: 5 },
      }),
    );
    await environment.dispatch(...all(60));
    await environment.time.advance(minuteMs);
    await environment.resume();
    await environment.until(() => environment.received.length > 3);
    await environment.dispatch({ messageIdentification: dispatchMessageId(61) });
    await environment.until(() => environment.endedIds().size === 61, 10 * minuteMs);
    expect(firstIds(environment)).toEqual(numbers(61).map((number) => dispatchMessageId(number)));
  });

  it("has stops answered during the pause, and the answer says that the bank was paused", async () => {
    const environment = await pauseBank(createDispatcherEnvironment());
    await environment.dispatch(...all(2));
    await environment.stop(buildStop(1));
    await environment.until(() => environment.ended().length === 1);
    expect(environment.ended()).toMatchObject([{ outcome: "STOPPED", attempts: 0, mayHaveBeenTaken: false, isReceiverPaused: true }]);
    await environment.resume();
    await environment.until(() => environment.endedIds().size === 2);
    await environment.stop(buildStop(3));
    await environment.until(() => environment.ended().length === 3);
    expect(environment.ended().at(-1)).toMatchObject({
      messageIdentification: dispatchMessageId(3),
      outcome: "STOPPED",
      isReceiverPaused: false,
    });
    expect(environment.attemptsOf(dispatchMessageId(1))).toEqual([]);
  });

  it("is shown in the metrics while it lasts, with the reason why messages were parked", async () => {
    const metrics = createMetrics({ withProcess: false });
    const environment = createDispatcherEnvironment({ metrics });
    const process = await environment.start();
    await environment.pause();
    await environment.time.advance(500);
    await environment.dispatch(...all(2));
    await environment.time.advance(500);
    const text = await metrics.text();
    expect(text).toContain('sluice_delivery_receiver_paused{receiver="first"} 1');
    expect(text).toContain('sluice_delivery_parked_total{reason="paused"} 2');
    expect(text).toContain('sluice_delivery_waiting_messages{receiver="first"} 2');
    await process.stop();
    expect(await metrics.text()).not.toContain("sluice_delivery_receiver_paused{");
    await environment.start();
    await environment.time.advance(1_000);
    expect(await metrics.text()).toContain('sluice_delivery_receiver_paused{receiver="first"} 1');
    await environment.resume();
    await environment.until(() => environment.endedIds().size === 2);
    await environment.redrive({});
    await environment.time.advance(500);
    expect(await metrics.text()).not.toContain("sluice_delivery_receiver_paused{");
    // The second process read the pause of the first one from the partition's document: that is no transition.
    expect(await metrics.text()).toContain('sluice_delivery_pause_transitions_total{to="paused"} 1');
    expect(await metrics.text()).toContain('sluice_delivery_pause_transitions_total{to="active"} 1');
    expect(await metrics.text()).toContain('sluice_delivery_redrives_total{result="not-parked"} 1');
  });

  it("gets no attempts whose time ended meanwhile: the close of the day, a credit's deadline", async () => {
    const environment = await pauseBank(createDispatcherEnvironment());
    await environment.dayTimes(1, deliveryStartMs + 10 * minuteMs);
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) }, buildCreditDispatch(2, deliveryStartMs + 5 * minuteMs));
    await environment.time.advance(15 * minuteMs);
    await environment.resume();
    await environment.time.advance(20 * minuteMs);
    expect(environment.received).toEqual([]);
    expect(await environment.parked("deliveries")).toHaveLength(2);
    expect(environment.logged.filter(({ event }) => event === "receiver.drained")).toHaveLength(1);
  });

  it("has messages with a deadline of their own expire, and nothing is sent", async () => {
    const environment = await pauseBank(createDispatcherEnvironment());
    await environment.dispatch({ reconciliationDay: null, deadlineMs: deliveryStartMs + 5 * minuteMs });
    await environment.time.advance(10 * minuteMs);
    expect(environment.received).toEqual([]);
    expect(environment.receipts()).toMatchObject([{ outcome: "EXPIRED", attempts: 0 }]);
    expect(await environment.parked("deliveries")).toEqual([]);
  });
});
