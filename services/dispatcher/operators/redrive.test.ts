// A refused delivery that an operator redrives: when it is tried again, when it is not, and the result.

import { topics } from "@sluice/contracts";
import { deliveryStartMs } from "@sluice/delivery/delivery-environment";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import {
  createDispatcherEnvironment,
  dispatchMessageId,
  buildStop,
  dispatchUetr,
  type DispatcherEnvironment,
} from "../dispatcher.fixture.ts";

const minuteMs = 60_000;
const debit = dispatchMessageId(1, "D");
const redriven = { messageIdentification: debit };
const outcomes = (environment: DispatcherEnvironment) => environment.ended().map(({ outcome, attempts }) => [outcome, attempts]);
const ignored = (environment: DispatcherEnvironment) =>
  environment.logged.flatMap(({ event, fields }) => (event === "delivery.redrive-ignored" && "why" in fields ? [fields.why] : []));
const readPosition = async (environment: DispatcherEnvironment) =>
  (await environment.during(environment.store.partitions.list("dispatcher")))[0]?.position;

/** Sends a debit that its bank refuses; `next` answers from then on. */
async function refused(next: Parameters<DispatcherEnvironment["answers"]>[0] = () => 202) {
  const environment = createDispatcherEnvironment();
  const process = await environment.start();
  environment.answers(() => 422);
  await environment.dispatch({ messageIdentification: debit });
  await environment.until(() => environment.ended().length === 1);
  await environment.time.advance(1_000);
  environment.answers(next);
  return { environment, process };
}

/** Makes the partition read everything from an offset on again. */
async function readAgain(environment: DispatcherEnvironment, position: bigint): Promise<void> {
  await environment.restoreTo(position);
  await environment.start();
}

describe("redrive of a refused delivery", { timeout: 30_000 }, () => {
  it("I3: the same id and bytes leave at once, and the acknowledgement counts every attempt", async () => {
    const { environment } = await refused();
    await environment.time.advance(60 * minuteMs);
    expect(environment.received).toHaveLength(1);
    await environment.redrive(redriven);
    await environment.until(() => environment.ended().length === 2, 500);
    expect(outcomes(environment)).toEqual([
      ["REFUSED", 1],
      ["ACKNOWLEDGED", 2],
    ]);
    const [before, after] = environment.attemptsOf(debit);
    expect([after?.body, after?.operation, after?.receiverId]).toEqual([before?.body, before?.operation, before?.receiverId]);
    expect({ ...after?.headers, "webhook-timestamp": "" }).toEqual({ ...before?.headers, "webhook-timestamp": "" });
    await environment.time.advance(1_000);
    expect(await environment.parked("deliveries")).toEqual([]);
    expect(environment.receipts().map(({ outcome }) => outcome)).toEqual(["REFUSED", "ACKNOWLEDGED"]);
  });

  it("a message that is refused again waits for the next redrive; a transient answer is retried by the retry law", async () => {
    const { environment } = await refused(({ attempt }) => (attempt === 2 ? 422 : attempt < 5 ? 503 : 202));
    await environment.redrive(redriven);
    await environment.until(() => environment.ended().length === 2);
    await environment.time.advance(60 * minuteMs);
    expect(await environment.parked("deliveries")).toMatchObject([{ id: debit, ended: "refused", attempts: 2 }]);
    await environment.redrive(redriven);
    await environment.until(() => environment.ended().length === 3);
    expect(outcomes(environment)).toEqual([
      ["REFUSED", 1],
      ["REFUSED", 2],
      ["ACKNOWLEDGED", 5],
    ]);
  });

  it("a stop ends it, like any delivery; a stop that is older than the redrive does not", async () => {
    const { environment } = await refused(() => 503);
    await environment.redrive({ ...redriven, causedByOffset: 50n });
    await environment.until(() => environment.received.length === 3);
    await environment.stop({ ...buildStop(1, "D"), causedByOffset: 40n });
    await environment.time.advance(5_000);
    expect(environment.ended()).toHaveLength(1);
    await environment.stop({ ...buildStop(1, "D"), causedByOffset: 60n });
    await environment.until(() => environment.ended().length === 2);
    const attempts = environment.received.length;
    expect(outcomes(environment).at(-1)).toEqual(["STOPPED", attempts]);
    await environment.time.advance(20 * minuteMs);
    expect(environment.received).toHaveLength(attempts);
    expect(await environment.parked("deliveries")).toEqual([]);
  });

  it("I4: messages that overtook it while it was refused have left; those after the redrive wait behind it", async () => {
    const { environment } = await refused(({ id, attempt }) => (id === debit && attempt < 4 ? 503 : 202));
    await environment.dispatch({ messageIdentification: dispatchMessageId(1, "S") });
    await environment.until(() => environment.endedIds().has(dispatchMessageId(1, "S")));
    await environment.redrive(redriven);
    await environment.until(() => environment.attemptsOf(debit).length === 2);
    await environment.dispatch({ messageIdentification: dispatchMessageId(1, "A") });
    await environment.until(() => environment.endedIds().size === 3);
    expect(environment.received.findIndex(({ id, status }) => id === debit && status === 202)).toBeLessThan(
      environment.received.findIndex(({ id }) => id === dispatchMessageId(1, "A")),
    );
  });

  it("a redriven message waits while its bank is paused, and leaves once it is resumed", async () => {
    const { environment } = await refused();
    await environment.pause();
    await environment.redrive(redriven);
    await environment.time.advance(60 * minuteMs);
    expect(environment.received).toHaveLength(1);
    await environment.resume();
    await environment.until(() => environment.ended().length === 2, 1_000);
  });

  it("a redriven message leaves also if its bank has parked more than memory holds", async () => {
    const environment = createDispatcherEnvironment({
      banks: [sampleBank({ id: "first", connections: 2 })],
      bounds: { untriedInMemoryMax: 8, scanMessagesMax: 3 },
    });
    await environment.start();
    environment.answers(({ id }) => (id === dispatchMessageId(40) ? 422 : 503));
    const numbers = Array.from({ length: 60 }, (_, index) => index + 1);
    await environment.dispatch({ messageIdentification: dispatchMessageId(40) });
    await environment.dispatch(
      ...numbers.filter((number) => number !== 40).map((number) => ({ messageIdentification: dispatchMessageId(number) })),
    );
    await environment.until(() => environment.ended().length === 1);
    await environment.time.advance(20_000);
    environment.answers(() => 202);
    await environment.redrive({ messageIdentification: dispatchMessageId(40), uetr: dispatchUetr(40), deliveryKey: dispatchUetr(40) });
    await environment.until(() => environment.ended().length === 61, 20 * minuteMs);
    expect(environment.attemptsOf(dispatchMessageId(40))).toHaveLength(2);
    await environment.time.advance(1_000);
    expect(await environment.parked("deliveries")).toEqual([]);
  });
});

describe("a redrive without effect", { timeout: 30_000 }, () => {
  it("names a message that is not parked: never sent, acknowledged, or stopped; it is logged, and the partition continues", async () => {
    const { environment } = await refused();
    await environment.redrive({ messageIdentification: dispatchMessageId(9), uetr: dispatchUetr(9), deliveryKey: dispatchUetr(9) });
    await environment.dispatch({ messageIdentification: dispatchMessageId(2) });
    await environment.until(() => environment.endedIds().has(dispatchMessageId(2)));
    await environment.redrive({ messageIdentification: dispatchMessageId(2), uetr: dispatchUetr(2), deliveryKey: dispatchUetr(2) });
    await environment.stop(buildStop(1, "D"));
    await environment.redrive(redriven);
    await environment.time.advance(minuteMs);
    expect(ignored(environment)).toEqual(["not-parked", "not-parked", "not-parked"]);
    expect(environment.received.map(({ id }) => id)).toEqual([debit, dispatchMessageId(2)]);
    expect(environment.ended()).toHaveLength(3);
    expect(await readPosition(environment)).toBe(6n);
  });

  it("names a message that is being tried: its back-off stays", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(() => ({ status: 503, retryAfter: "600" }));
    await environment.dispatch(redriven);
    await environment.until(() => environment.received.length === 1);
    await environment.redrive(redriven);
    await environment.time.advance(5 * minuteMs);
    expect(ignored(environment)).toEqual(["still-tried"]);
    expect(environment.received).toHaveLength(1);
  });

  it("names a message whose day has closed: it stays for its stop", async () => {
    const { environment } = await refused();
    await environment.dayTimes(1, deliveryStartMs + 10 * minuteMs);
    await environment.time.advance(11 * minuteMs);
    await environment.redrive(redriven);
    await environment.time.advance(minuteMs);
    expect(ignored(environment)).toEqual(["attempts-over"]);
    expect(environment.received).toHaveLength(1);
    expect(await environment.parked("deliveries")).toMatchObject([{ id: debit, ended: "refused" }]);
  });

  it("is read again after it was applied: the message was refused a second time, and is not tried a third time", async () => {
    const { environment, process } = await refused(() => 422);
    await environment.redrive(redriven);
    await environment.until(() => environment.ended().length === 2);
    await environment.time.advance(1_000);
    await process.stop();
    await readAgain(environment, 0n);
    await environment.time.advance(minuteMs);
    expect(ignored(environment)).toEqual(["older"]);
    expect(environment.received).toHaveLength(2);
    expect(environment.ended()).toHaveLength(2);
    expect(await readPosition(environment)).toBe(2n);
    await environment.redrive({ ...redriven, causedByOffset: 1n });
    await environment.time.advance(minuteMs);
    expect(ignored(environment)).toEqual(["older", "older"]);
    environment.answers(() => 202);
    await environment.redrive(redriven);
    await environment.until(() => environment.ended().length === 3);
  });

  it("names a message that an earlier version already ended: the whole topic read again repeats it, with the same end", async () => {
    const { environment, process } = await refused(({ attempt }) => (attempt % 2 === 0 ? 202 : 422));
    await environment.redrive(redriven);
    await environment.until(() => environment.ended().length === 2);
    await environment.time.advance(1_000);
    await process.stop();
    await readAgain(environment, 0n);
    await environment.time.advance(minuteMs);
    expect(environment.ended().map(({ outcome }) => outcome)).toEqual(["REFUSED", "ACKNOWLEDGED", "REFUSED", "ACKNOWLEDGED"]);
    expect(new Set(environment.received.map(({ body }) => body)).size).toBe(1);
    expect(environment.broker.records({ topic: topics.dispatch, partition: 0 })).toHaveLength(2);
    expect(await environment.parked("deliveries")).toEqual([]);
  });
});
