// What a pause of a bank, and a redrive of a posting that was given up, do to events.

import { topics } from "@sluice/contracts";
import { startAtMs } from "@sluice/delivery/delivery-world";
import { redriveExtensionMs } from "@sluice/delivery";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { eventId, hourMs, publisherWorld, stages, uetr } from "./event-publisher.fixture.ts";

const minuteMs = 60_000;
const ofReceipts = (world: ReturnType<typeof publisherWorld>) =>
  world.receipts().map(({ webhookId, outcome, attempts }) => [webhookId, outcome, attempts]);

describe("events of a paused bank", { timeout: 30_000 }, () => {
  it("wait, over a restart too, and are posted in order once it is resumed; other banks' go on (I4, I13, I14)", async () => {
    const world = publisherWorld({ banks: [sampleBank({ id: "first", connections: 1 }), sampleBank({ id: "second" })] });
    const first = await world.start();
    await world.pause();
    await world.time.advance(500);
    await world.publish(...stages(1, 4), ...stages(2, 2).map((stage) => ({ ...stage, bank: "second" })));
    await world.until(() => world.receipts().length === 2);
    await first.stop();
    await world.start();
    await world.time.advance(5 * hourMs);
    expect(world.received.map(({ bank }) => bank)).toEqual(["second", "second"]);
    await world.resume();
    await world.until(() => world.receipts().length === 6, minuteMs);
    expect(world.received.slice(2).map(({ id }) => id)).toEqual([1, 2, 3, 4].map((stageVersion) => eventId(1, stageVersion)));
    expect(world.log.records({ topic: topics.journal, partition: 0 })).toEqual([]);
  });

  it("wait to the end of a maintenance and are posted then, in order, by themselves (I4)", async () => {
    const world = publisherWorld({ banks: [sampleBank({ id: "first", connections: 1 })] });
    await world.start();
    await world.pause(1, "first", startAtMs + hourMs);
    await world.time.advance(500);
    await world.publish(...stages(1, 4));
    await world.until(() => world.receipts().length === 4, hourMs + minuteMs);
    expect(world.received.map(({ id }) => id)).toEqual([1, 2, 3, 4].map((stageVersion) => eventId(1, stageVersion)));
    expect(world.received[0]?.atMs).toBeGreaterThanOrEqual(startAtMs + hourMs);
  });

  it("expire by their own deadline, which a pause does not put off, and are kept as undelivered", async () => {
    const world = publisherWorld();
    await world.start();
    await world.pause();
    await world.publish(...stages(1, 2).map((stage) => ({ ...stage, deadlineMs: startAtMs + 2 * hourMs })));
    await world.until(() => world.receipts().length === 2, 3 * hourMs);
    expect(world.time.nowMs()).toBeLessThan(startAtMs + 2 * hourMs + minuteMs);
    expect(ofReceipts(world)).toEqual([
      [eventId(1, 1), "EXPIRED", 0],
      [eventId(1, 2), "EXPIRED", 0],
    ]);
    await world.time.advance(1_000);
    expect((await world.parked("postings")).map(({ ended }) => ended)).toEqual(["refused", "refused"]);
    expect(world.received).toEqual([]);
  });
});

describe("redrive of a posting that was given up", { timeout: 30_000 }, () => {
  it("I3: one that was refused is posted again, the same id and bytes, and its receipt counts every attempt", async () => {
    const world = publisherWorld();
    await world.start();
    world.answers(({ attempt, id }) => (id === eventId(1, 1) && attempt === 1 ? 400 : 202));
    await world.publish(...stages(1, 2));
    await world.until(() => world.receipts().length === 2);
    await world.redrive(1, 1, 7n);
    await world.until(() => world.receipts().length === 3, 1_000);
    expect(ofReceipts(world).at(-1)).toEqual([eventId(1, 1), "ACKNOWLEDGED", 2]);
    const [before, after] = world.attemptsOf(eventId(1, 1));
    expect(after?.body).toBe(before?.body);
    await world.time.advance(1_000);
    expect(await world.parked("postings")).toEqual([]);
    await world.redrive(1, 1, 8n);
    await world.redrive(9, 1, 9n);
    await world.time.advance(minuteMs);
    expect(world.received).toHaveLength(3);
    expect(world.log.records({ topic: topics.journal, partition: 0 })).toEqual([]);
  });

  it("one past its deadline is tried for an hour from the redrive, also by the next owner, and then given up again", async () => {
    const world = publisherWorld();
    const first = await world.start();
    world.answers(() => 503);
    await world.publish({ deadlineMs: startAtMs + 5 * minuteMs });
    await world.until(() => world.receipts().length === 1);
    await world.time.advance(hourMs);
    const before = world.received.length;
    await world.redrive(1, 1, 7n);
    const redrivenAtMs = world.time.nowMs();
    await world.until(() => world.received.length > before, 1_000);
    await first.stop();
    await world.start();
    await world.until(() => world.receipts().length === 2, 2 * hourMs);
    expect(ofReceipts(world).at(-1)).toEqual([eventId(1, 1), "EXPIRED", world.received.length]);
    expect(world.received.length).toBeGreaterThan(before + 30);
    expect(Math.abs(world.time.nowMs() - redrivenAtMs - redriveExtensionMs)).toBeLessThan(10_000);
    await world.time.advance(hourMs);
    world.answers(() => 202);
    await world.redrive(1, 1, 9n);
    await world.until(() => world.receipts().length === 3, 1_000);
    expect(ofReceipts(world).at(-1)?.[1]).toBe("ACKNOWLEDGED");
  });

  it("one whose deadline is further away keeps it", async () => {
    const world = publisherWorld();
    await world.start();
    world.answers(({ attempt }) => (attempt === 1 ? 422 : 503));
    await world.publish({ uetr: uetr(3), deadlineMs: startAtMs + 3 * hourMs });
    await world.until(() => world.receipts().length === 1);
    await world.redrive(3, 1, 7n);
    await world.until(() => world.receipts().length === 2, 4 * hourMs);
    expect(Math.abs(world.time.nowMs() - startAtMs - 3 * hourMs)).toBeLessThan(minuteMs);
  });
});
