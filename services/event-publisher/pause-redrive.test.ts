// What a pause of a bank, and a redrive of a posting that was given up, do to events.

import { topics } from "@sluice/contracts";
import { deliveryStartMs } from "@sluice/delivery/delivery-environment";
import { redriveExtensionMs } from "@sluice/delivery";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { stateEventId, publisherHourMs, createPublisherEnvironment, buildStages, eventUetr } from "./event-publisher.fixture.ts";

const minuteMs = 60_000;
const listReceipts = (environment: ReturnType<typeof createPublisherEnvironment>) =>
  environment.receipts().map(({ webhookId, outcome, attempts }) => [webhookId, outcome, attempts]);

describe("events of a paused bank", { timeout: 30_000 }, () => {
  it("wait, over a restart too, and are posted in order once it is resumed; other banks' events continue (I4, I13, I14)", async () => {
    const environment = createPublisherEnvironment({ banks: [sampleBank({ id: "first", connections: 1 }), sampleBank({ id: "second" })] });
    const first = await environment.start();
    await environment.pause();
    await environment.time.advance(500);
    await environment.publish(...buildStages(1, 4), ...buildStages(2, 2).map((stage) => ({ ...stage, bank: "second" })));
    await environment.until(() => environment.receipts().length === 2);
    await first.stop();
    await environment.start();
    await environment.time.advance(5 * publisherHourMs);
    expect(environment.received.map(({ receiverId }) => receiverId)).toEqual(["second", "second"]);
    await environment.resume();
    await environment.until(() => environment.receipts().length === 6, minuteMs);
    expect(environment.received.slice(2).map(({ id }) => id)).toEqual([1, 2, 3, 4].map((stageVersion) => stateEventId(1, stageVersion)));
    expect(environment.broker.records({ topic: topics.journal, partition: 0 })).toEqual([]);
  });

  it("wait until the end of a maintenance and are then posted in order, without an operator (I4)", async () => {
    const environment = createPublisherEnvironment({ banks: [sampleBank({ id: "first", connections: 1 })] });
    await environment.start();
    await environment.pause(1, "first", deliveryStartMs + publisherHourMs);
    await environment.time.advance(500);
    await environment.publish(...buildStages(1, 4));
    await environment.until(() => environment.receipts().length === 4, publisherHourMs + minuteMs);
    expect(environment.received.map(({ id }) => id)).toEqual([1, 2, 3, 4].map((stageVersion) => stateEventId(1, stageVersion)));
    expect(environment.received[0]?.atMs).toBeGreaterThanOrEqual(deliveryStartMs + publisherHourMs);
  });

  it("expire at their own deadline, which a pause does not delay, and are kept as undelivered", async () => {
    const environment = createPublisherEnvironment();
    await environment.start();
    await environment.pause();
    await environment.publish(...buildStages(1, 2).map((stage) => ({ ...stage, deadlineMs: deliveryStartMs + 2 * publisherHourMs })));
    await environment.until(() => environment.receipts().length === 2, 3 * publisherHourMs);
    expect(environment.time.nowMs()).toBeLessThan(deliveryStartMs + 2 * publisherHourMs + minuteMs);
    expect(listReceipts(environment)).toEqual([
      [stateEventId(1, 1), "EXPIRED", 0],
      [stateEventId(1, 2), "EXPIRED", 0],
    ]);
    await environment.time.advance(1_000);
    expect((await environment.parked("postings")).map(({ ended }) => ended)).toEqual(["refused", "refused"]);
    expect(environment.received).toEqual([]);
  });
});

describe("redrive of a posting that was given up", { timeout: 30_000 }, () => {
  it("I3: posts a refused event again with the same id and bytes, and its receipt counts every attempt", async () => {
    const environment = createPublisherEnvironment();
    await environment.start();
    environment.answers(({ attempt, id }) => (id === stateEventId(1, 1) && attempt === 1 ? 400 : 202));
    await environment.publish(...buildStages(1, 2));
    await environment.until(() => environment.receipts().length === 2);
    await environment.redrive(1, 1, 7n);
    await environment.until(() => environment.receipts().length === 3, 1_000);
    expect(listReceipts(environment).at(-1)).toEqual([stateEventId(1, 1), "ACKNOWLEDGED", 2]);
    const [before, after] = environment.attemptsOf(stateEventId(1, 1));
    expect(after?.body).toBe(before?.body);
    await environment.time.advance(1_000);
    expect(await environment.parked("postings")).toEqual([]);
    await environment.redrive(1, 1, 8n);
    await environment.redrive(9, 1, 9n);
    await environment.time.advance(minuteMs);
    expect(environment.received).toHaveLength(3);
    expect(environment.broker.records({ topic: topics.journal, partition: 0 })).toEqual([]);
  });

  it("retries an event past its deadline for an hour, also by the next owner, and then gives it up again", async () => {
    const environment = createPublisherEnvironment();
    const first = await environment.start();
    environment.answers(() => 503);
    await environment.publish({ deadlineMs: deliveryStartMs + 5 * minuteMs });
    await environment.until(() => environment.receipts().length === 1);
    await environment.time.advance(publisherHourMs);
    const before = environment.received.length;
    await environment.redrive(1, 1, 7n);
    const redrivenAtMs = environment.time.nowMs();
    await environment.until(() => environment.received.length > before, 1_000);
    await first.stop();
    await environment.start();
    await environment.until(() => environment.receipts().length === 2, 2 * publisherHourMs);
    expect(listReceipts(environment).at(-1)).toEqual([stateEventId(1, 1), "EXPIRED", environment.received.length]);
    expect(environment.received.length).toBeGreaterThan(before + 30);
    expect(Math.abs(environment.time.nowMs() - redrivenAtMs - redriveExtensionMs)).toBeLessThan(10_000);
    await environment.time.advance(publisherHourMs);
    environment.answers(() => 202);
    await environment.redrive(1, 1, 9n);
    await environment.until(() => environment.receipts().length === 3, 1_000);
    expect(listReceipts(environment).at(-1)?.[1]).toBe("ACKNOWLEDGED");
  });

  it("keeps a deadline that is further away", async () => {
    const environment = createPublisherEnvironment();
    await environment.start();
    environment.answers(({ attempt }) => (attempt === 1 ? 422 : 503));
    await environment.publish({ uetr: eventUetr(3), deadlineMs: deliveryStartMs + 3 * publisherHourMs });
    await environment.until(() => environment.receipts().length === 1);
    await environment.redrive(3, 1, 7n);
    await environment.until(() => environment.receipts().length === 2, 4 * publisherHourMs);
    expect(Math.abs(environment.time.nowMs() - deliveryStartMs - 3 * publisherHourMs)).toBeLessThan(minuteMs);
  });
});

describe("a posting that an operator stops", { timeout: 30_000 }, () => {
  it("I13: is tried no more, lets the next one of its UETR pass, and is posted again by a redrive [D3 operator-stop]", async () => {
    const environment = createPublisherEnvironment();
    await environment.start();
    environment.answers(({ id }) => (id === stateEventId(1, 1) ? 500 : 202));
    await environment.publish(...buildStages(1, 2));
    await environment.until(() => environment.received.length === 4, 10 * minuteMs);
    await environment.giveUp(1, 1, 7n);
    await environment.until(() => environment.receipts().length === 2, minuteMs);
    expect(environment.receipts()).toMatchObject([
      { webhookId: stateEventId(1, 1), outcome: "STOPPED", stoppedBy: "thandi", confirmedBy: null },
      { webhookId: stateEventId(1, 2), outcome: "ACKNOWLEDGED", stoppedBy: null },
    ]);
    environment.answers(() => 202);
    await environment.redrive(1, 1, 8n);
    await environment.until(() => environment.receipts().length === 3, minuteMs);
    expect(listReceipts(environment).at(-1)?.slice(0, 2)).toEqual([stateEventId(1, 1), "ACKNOWLEDGED"]);
    expect(environment.broker.records({ topic: topics.journal, partition: 0 })).toEqual([]);
  });
});
