// A refused delivery that an operator has tried again: when it is, when it is not, and what comes of it.

import { topics } from "@sluice/contracts";
import { startAtMs } from "@sluice/delivery/delivery-world";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { dispatcherWorld, messageId, stopOf, uetr, type DispatcherWorld } from "./dispatcher.fixture.ts";

const minuteMs = 60_000;
const debit = messageId(1, "D");
const redriven = { messageIdentification: debit };
const outcomes = (world: DispatcherWorld) => world.ended().map(({ outcome, attempts }) => [outcome, attempts]);
const ignored = (world: DispatcherWorld) =>
  world.logged.flatMap(({ event, fields }) => (event === "delivery.redrive-ignored" && "why" in fields ? [fields.why] : []));
const positionOf = async (world: DispatcherWorld) => (await world.during(world.store.lanes.list("dispatcher")))[0]?.position;

/** A debit that its bank refused; what the bank answers from then on. */
async function refused(next: Parameters<DispatcherWorld["answers"]>[0] = () => 202) {
  const world = dispatcherWorld();
  const process = await world.start();
  world.answers(() => 422);
  await world.dispatch({ messageIdentification: debit });
  await world.until(() => world.ended().length === 1);
  await world.time.advance(1_000);
  world.answers(next);
  return { world, process };
}

/** Everything from an offset on is read once more. */
async function readAgain(world: DispatcherWorld, position: bigint): Promise<void> {
  const taken = await world.during(world.store.lanes.takeOver("dispatcher", 0));
  await world.during(world.store.lanes.write("dispatcher", 0, taken.epoch, position));
  await world.start();
}

describe("redrive of a refused delivery", { timeout: 30_000 }, () => {
  it("I3: the same id and bytes leave at once, and the acknowledgement counts every attempt", async () => {
    const { world } = await refused();
    await world.time.advance(60 * minuteMs);
    expect(world.received).toHaveLength(1);
    await world.redrive(redriven);
    await world.until(() => world.ended().length === 2, 500);
    expect(outcomes(world)).toEqual([
      ["REFUSED", 1],
      ["ACKNOWLEDGED", 2],
    ]);
    const [before, after] = world.attemptsOf(debit);
    expect([after?.body, after?.operation, after?.bank]).toEqual([before?.body, before?.operation, before?.bank]);
    expect({ ...after?.headers, "webhook-timestamp": "" }).toEqual({ ...before?.headers, "webhook-timestamp": "" });
    await world.time.advance(1_000);
    expect(await world.parked("deliveries")).toEqual([]);
    expect(world.receipts().map(({ outcome }) => outcome)).toEqual(["REFUSED", "ACKNOWLEDGED"]);
  });

  it("refused again it waits for the next redrive; a transient answer is repeated by the retry law", async () => {
    const { world } = await refused(({ attempt }) => (attempt === 2 ? 422 : attempt < 5 ? 503 : 202));
    await world.redrive(redriven);
    await world.until(() => world.ended().length === 2);
    await world.time.advance(60 * minuteMs);
    expect(await world.parked("deliveries")).toMatchObject([{ id: debit, ended: "refused", attempts: 2 }]);
    await world.redrive(redriven);
    await world.until(() => world.ended().length === 3);
    expect(outcomes(world)).toEqual([
      ["REFUSED", 1],
      ["REFUSED", 2],
      ["ACKNOWLEDGED", 5],
    ]);
  });

  it("a stop ends it, as any delivery; one that is older than the redrive does not", async () => {
    const { world } = await refused(() => 503);
    await world.redrive({ ...redriven, causedByOffset: 50n });
    await world.until(() => world.received.length === 3);
    await world.stop({ ...stopOf(1, "D"), causedByOffset: 40n });
    await world.time.advance(5_000);
    expect(world.ended()).toHaveLength(1);
    await world.stop({ ...stopOf(1, "D"), causedByOffset: 60n });
    await world.until(() => world.ended().length === 2);
    const attempts = world.received.length;
    expect(outcomes(world).at(-1)).toEqual(["STOPPED", attempts]);
    await world.time.advance(20 * minuteMs);
    expect(world.received).toHaveLength(attempts);
    expect(await world.parked("deliveries")).toEqual([]);
  });

  it("I4: what passed it while it was refused has left; what comes after the redrive waits behind it", async () => {
    const { world } = await refused(({ id, attempt }) => (id === debit && attempt < 4 ? 503 : 202));
    await world.dispatch({ messageIdentification: messageId(1, "S") });
    await world.until(() => world.endedIds().has(messageId(1, "S")));
    await world.redrive(redriven);
    await world.until(() => world.attemptsOf(debit).length === 2);
    await world.dispatch({ messageIdentification: messageId(1, "A") });
    await world.until(() => world.endedIds().size === 3);
    expect(world.received.findIndex(({ id, status }) => id === debit && status === 202)).toBeLessThan(
      world.received.findIndex(({ id }) => id === messageId(1, "A")),
    );
  });

  it("while its bank is paused it waits; resumed, it leaves", async () => {
    const { world } = await refused();
    await world.pause();
    await world.redrive(redriven);
    await world.time.advance(60 * minuteMs);
    expect(world.received).toHaveLength(1);
    await world.resume();
    await world.until(() => world.ended().length === 2, 1_000);
  });

  it("a redriven message leaves also where its bank has parked more than memory holds", async () => {
    const world = dispatcherWorld({
      banks: [sampleBank({ id: "first", connections: 2 })],
      bounds: { pageMessagesMax: 8, scanMessagesMax: 3 },
    });
    await world.start();
    world.answers(({ id }) => (id === messageId(40) ? 422 : 503));
    const numbers = Array.from({ length: 60 }, (_, index) => index + 1);
    await world.dispatch({ messageIdentification: messageId(40) });
    await world.dispatch(...numbers.filter((number) => number !== 40).map((number) => ({ messageIdentification: messageId(number) })));
    await world.until(() => world.ended().length === 1);
    await world.time.advance(20_000);
    world.answers(() => 202);
    await world.redrive({ messageIdentification: messageId(40), uetr: uetr(40), deliveryKey: uetr(40) });
    await world.until(() => world.ended().length === 61, 20 * minuteMs);
    expect(world.attemptsOf(messageId(40))).toHaveLength(2);
    await world.time.advance(1_000);
    expect(await world.parked("deliveries")).toEqual([]);
  });
});

describe("a redrive that does nothing", { timeout: 30_000 }, () => {
  it("of a message that is not parked: never sent, acknowledged, or stopped; the log says so, the lane goes on", async () => {
    const { world } = await refused();
    await world.redrive({ messageIdentification: messageId(9), uetr: uetr(9), deliveryKey: uetr(9) });
    await world.dispatch({ messageIdentification: messageId(2) });
    await world.until(() => world.endedIds().has(messageId(2)));
    await world.redrive({ messageIdentification: messageId(2), uetr: uetr(2), deliveryKey: uetr(2) });
    await world.stop(stopOf(1, "D"));
    await world.redrive(redriven);
    await world.time.advance(minuteMs);
    expect(ignored(world)).toEqual(["not-parked", "not-parked", "not-parked"]);
    expect(world.received.map(({ id }) => id)).toEqual([debit, messageId(2)]);
    expect(world.ended()).toHaveLength(3);
    expect(await positionOf(world)).toBe(6n);
  });

  it("of one that is being tried: its back-off stays", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(() => ({ status: 503, retryAfter: "600" }));
    await world.dispatch(redriven);
    await world.until(() => world.received.length === 1);
    await world.redrive(redriven);
    await world.time.advance(5 * minuteMs);
    expect(ignored(world)).toEqual(["still-tried"]);
    expect(world.received).toHaveLength(1);
  });

  it("of one whose day has closed: it stays for its stop", async () => {
    const { world } = await refused();
    await world.dayTimes(1, startAtMs + 10 * minuteMs);
    await world.time.advance(11 * minuteMs);
    await world.redrive(redriven);
    await world.time.advance(minuteMs);
    expect(ignored(world)).toEqual(["attempts-over"]);
    expect(world.received).toHaveLength(1);
    expect(await world.parked("deliveries")).toMatchObject([{ id: debit, ended: "refused" }]);
  });

  it("of one that is read again after it was applied: refused a second time, nothing is tried a third time", async () => {
    const { world, process } = await refused(() => 422);
    await world.redrive(redriven);
    await world.until(() => world.ended().length === 2);
    await world.time.advance(1_000);
    await process.stop();
    await readAgain(world, 0n);
    await world.time.advance(minuteMs);
    expect(ignored(world)).toEqual(["older"]);
    expect(world.received).toHaveLength(2);
    expect(world.ended()).toHaveLength(2);
    expect(await positionOf(world)).toBe(2n);
    await world.redrive({ ...redriven, causedByOffset: 1n });
    await world.time.advance(minuteMs);
    expect(ignored(world)).toEqual(["older", "older"]);
    world.answers(() => 202);
    await world.redrive(redriven);
    await world.until(() => world.ended().length === 3);
  });

  it("of one that an earlier version of it already ended: the whole log read again repeats, and ends the same", async () => {
    const { world, process } = await refused(({ attempt }) => (attempt % 2 === 0 ? 202 : 422));
    await world.redrive(redriven);
    await world.until(() => world.ended().length === 2);
    await world.time.advance(1_000);
    await process.stop();
    await readAgain(world, 0n);
    await world.time.advance(minuteMs);
    expect(world.ended().map(({ outcome }) => outcome)).toEqual(["REFUSED", "ACKNOWLEDGED", "REFUSED", "ACKNOWLEDGED"]);
    expect(new Set(world.received.map(({ body }) => body)).size).toBe(1);
    expect(world.log.records({ topic: topics.dispatch, partition: 0 })).toHaveLength(2);
    expect(await world.parked("deliveries")).toEqual([]);
  });
});
