import { createHash } from "node:crypto";
import { topics } from "@sluice/contracts";
import { startAtMs } from "@sluice/delivery/delivery-world";
import { eventId as derivedId } from "@sluice/domain";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { esmId, eventId, hourMs, publisherWorld, stages, uetr } from "./event-publisher.fixture.ts";

describe("event postings", { timeout: 30_000 }, () => {
  it("one POST for each event, in order per UETR, acknowledged by any 2xx, with a receipt and nothing in the journal [4 event-posting] [4 delivery-1] [4 delivery-2] [6 delivery] [D8 acknowledged]", async () => {
    const world = publisherWorld();
    await world.start();
    world.answers(({ attempt, id }) =>
      attempt === 1 && id.endsWith("3") ? 503 : (([200, 202, 204] as const)[Number(id.slice(-1)) % 3] ?? 202),
    );
    await world.publish(...stages(1, 7), ...stages(2, 7));
    await world.until(() => world.receipts().length === 14);
    for (const number of [1, 2]) {
      const posted = world.received
        .filter(({ id, status }) => id.startsWith(eventId(number, 0).slice(0, 16)) && status !== 503)
        .map(({ id }) => id);
      expect(posted).toEqual(stages(number, 7).map(({ stageVersion }) => eventId(number, stageVersion ?? 0)));
    }
    expect(world.received[0]).toMatchObject({
      operation: "events",
      body: `{"id":"${eventId(1, 1)}"}`,
      headers: { "webhook-id": eventId(1, 1), "idempotency-key": eventId(1, 1) },
    });
    expect(world.receipts()[0]).toMatchObject({
      webhookId: eventId(1, 1),
      operation: "events",
      stageVersion: 1,
      outcome: "ACKNOWLEDGED",
      attempts: 1,
    });
    expect(world.log.records({ topic: topics.journal, partition: 0 })).toEqual([]);
    await world.time.advance(1_000);
    expect(await world.parked("postings")).toEqual([]);
  });

  it("a code that means seen before acknowledges a posting only on an attempt that may not be the first [D3 duplicate-codes]", async () => {
    const world = publisherWorld({ banks: [sampleBank({ id: "first", duplicateCodes: [412] })] });
    await world.start();
    world.answers(({ id, attempt }) => (id === eventId(1, 1) && attempt === 1 ? 503 : 412));
    await world.publish(...stages(1, 2));
    await world.until(() => world.receipts().length === 2);
    expect(world.outcomes()).toEqual(
      new Map([
        [eventId(1, 1), "ACKNOWLEDGED"],
        [eventId(1, 2), "REFUSED"],
      ]),
    );
  });

  it("I13: a posting that is refused for good is kept as undelivered, and the next one is sent [6 effect] [D8 undelivered]", async () => {
    const world = publisherWorld();
    await world.start();
    world.answers(({ id }) => (id === eventId(1, 2) ? 400 : 202));
    await world.publish(...stages(1, 3));
    await world.until(() => world.receipts().length === 3);
    expect(world.outcomes()).toEqual(
      new Map([
        [eventId(1, 1), "ACKNOWLEDGED"],
        [eventId(1, 2), "REFUSED"],
        [eventId(1, 3), "ACKNOWLEDGED"],
      ]),
    );
    await world.time.advance(hourMs);
    expect(world.attemptsOf(eventId(1, 2))).toHaveLength(1);
    expect(await world.parked("postings")).toMatchObject([{ id: eventId(1, 2), ended: "refused" }]);
    expect(world.log.records({ topic: topics.journal, partition: 0 })).toEqual([]);
  });

  it("a posting past its deadline is kept as undelivered, and the next one is sent [D3 deadlines] [D8 undelivered]", async () => {
    const world = publisherWorld();
    const first = await world.start();
    world.answers(({ id }) => (id === eventId(1, 1) ? 503 : 202));
    await world.publish(
      { stageVersion: 1, deadlineMs: startAtMs + hourMs / 6 },
      { stageVersion: 2 },
      { stageVersion: 3, deadlineMs: startAtMs - 1 },
      { stageVersion: 4 },
    );
    await world.time.advance(hourMs / 12);
    expect([...world.outcomes().keys()]).toEqual([eventId(1, 3)]);
    await world.until(() => world.receipts().length === 4);
    expect(world.outcomes().get(eventId(1, 1))).toBe("EXPIRED");
    expect(world.outcomes().get(eventId(1, 3))).toBe("EXPIRED");
    expect(world.outcomes().get(eventId(1, 2))).toBe("ACKNOWLEDGED");
    expect(world.received.findIndex(({ id }) => id === eventId(1, 4))).toBeGreaterThan(
      world.received.findIndex(({ id }) => id === eventId(1, 2)),
    );
    await first.stop();
    await world.start();
    const attempts = world.received.length;
    await world.time.advance(hourMs);
    expect(world.received).toHaveLength(attempts);
    expect((await world.parked("postings")).map(({ id, ended }) => [id, ended])).toEqual([
      [eventId(1, 1), "refused"],
      [eventId(1, 3), "refused"],
    ]);
  });

  it("a bank without an address for events costs nothing: no request, no receipt, no write of a posting, and the lane goes on [6 delivery] [D8 optional]", async () => {
    const world = publisherWorld({ banks: [sampleBank({ id: "first" }), sampleBank({ id: "quiet", eventsUrl: null })] });
    const calls: string[] = [];
    await world.start();
    world.hooks.store.fault = ({ operation }) => {
      // The lane's take-over looks once what lies there.
      if (operation.startsWith("postings") && operation !== "postings.ofLane") calls.push(operation);
      return "none";
    };
    await world.publishBoth(...stages(1, 5).map((stage) => ({ ...stage, bank: "quiet" })));
    await world.publish({ uetr: uetr(2) });
    await world.until(() => world.receipts().length === 1);
    await world.time.advance(1_000);
    expect(world.received.map(({ bank }) => bank)).toEqual(["first"]);
    expect(world.receipts().map(({ bank }) => bank)).toEqual(["first"]);
    expect(calls).toEqual([]);
    expect((await world.during(world.store.lanes.list("event-publisher")))[0]?.position).toBe(11n);
    // The count counts: a bank that has an address and refuses makes some.
    world.answers(() => 400);
    await world.publish({ uetr: uetr(3) });
    await world.until(() => world.receipts().length === 2);
    await world.time.advance(10);
    expect(calls).toEqual(["postings.insert", "postings.update"]);
  });

  it("I4: an event of class ESM_STATE follows that of the same state, with an id of its own and no stageVersion, through repeats and a restart [2.3 class] [D8 ESM_STATE]", async () => {
    const world = publisherWorld();
    const first = await world.start();
    let refusals = 6;
    world.answers(() => ((refusals -= 1) >= 0 ? 503 : 202));
    await world.publishBoth(...stages(1, 3));
    await world.until(() => refusals < 3);
    await first.stop();
    await world.start();
    await world.until(() => world.receipts().length === 6);
    const posted = world.received.filter(({ status }) => status === 202).map(({ id }) => id);
    expect(posted).toEqual([1, 2, 3].flatMap((stageVersion) => [eventId(1, stageVersion), esmId(1, stageVersion)]));
    const firsts = [...new Set(world.received.map(({ id }) => id))];
    expect(firsts).toEqual(posted);
    expect(world.receipts().map(({ stageVersion, operation }) => [stageVersion, operation])).toEqual(
      [1, 2, 3].flatMap((stageVersion) => [
        [stageVersion, "events"],
        [null, "events"],
      ]),
    );
    for (const { headers, id, body } of world.received) {
      expect(headers).toMatchObject({ "webhook-id": id, "idempotency-key": id });
      expect(body).toBe(`{"id":"${id}"}`);
    }
    expect(world.log.records({ topic: topics.journal, partition: 0 })).toEqual([]);
  });

  it("I4: a posting says its place: the stageVersion, and the id of the posting before it, the same after repeats and a restart [D8 sequence]", async () => {
    const world = publisherWorld();
    const first = await world.start();
    let refusals = 6;
    world.answers(() => ((refusals -= 1) >= 0 ? 503 : 202));
    const idOf = (number: number, stageVersion: number): string => derivedId(uetr(number), stageVersion, sha256);
    const places = [1, 2].flatMap((number) => [1, 2, 3].map((stageVersion) => ({ number, stageVersion })));
    await world.publishBoth(
      ...places.map(({ number, stageVersion }) => ({ uetr: uetr(number), stageVersion, id: idOf(number, stageVersion) })),
    );
    await world.until(() => refusals < 3);
    await first.stop();
    await world.start();
    await world.until(() => world.receipts().length === 12);
    expect(world.received.length).toBeGreaterThan(12);
    for (const { headers, id } of world.received) {
      const of = places.find(({ number, stageVersion }) => idOf(number, stageVersion) === id);
      expect([headers["sluice-sequence"], headers["sluice-previous-id"]]).toEqual(
        of === undefined
          ? [undefined, undefined]
          : [String(of.stageVersion), of.stageVersion === 1 ? undefined : idOf(of.number, of.stageVersion - 1)],
      );
    }
  });

  it("I13: of the two classes one that is refused does not keep the other back", async () => {
    const world = publisherWorld();
    await world.start();
    world.answers(({ id }) => (id === esmId(1, 1) ? 422 : 202));
    await world.publishBoth(...stages(1, 2));
    await world.until(() => world.receipts().length === 4);
    expect([...world.outcomes().values()]).toEqual(["ACKNOWLEDGED", "REFUSED", "ACKNOWLEDGED", "ACKNOWLEDGED"]);
    expect(await world.parked("postings")).toMatchObject([{ id: esmId(1, 1), ended: "refused" }]);
  });

  it("I14: a bank whose events are not taken keeps no other bank's back, and what is no event goes to the dead letters", async () => {
    const world = publisherWorld({ banks: [sampleBank({ id: "first" }), sampleBank({ id: "down", connections: 2 })] });
    await world.start();
    world.answers(({ bank }) => (bank === "down" ? "silent" : 204));
    await world.publish(...Array.from({ length: 100 }, (_, index) => ({ uetr: uetr(100 + index), bank: "down" })));
    await world.append(topics.events, [{ key: uetr(1), decoded: { name: "DayClosed", value: { day: "ZA_EFT:2026-11-20" } } }]);
    await world.publishBoth(...stages(1, 7));
    await world.until(() => world.receipts().length === 14, 10_000);
    expect(world.records(topics.deadLetters, "DeadLetter")).toMatchObject([{ service: "event-publisher" }]);
  });

  it("survives a restart: what was parked is posted in order, from the first that was not taken", async () => {
    const world = publisherWorld();
    const first = await world.start();
    let isUp = false;
    world.answers(() => (isUp ? 200 : 500));
    await world.publish(...stages(1, 4));
    await world.time.advance(20_000);
    first.kill();
    isUp = true;
    await world.start();
    await world.publish({ stageVersion: 5 });
    await world.until(() => world.receipts().length === 5);
    const posted = world.received.filter(({ status }) => status === 200).map(({ id }) => id);
    expect(posted).toEqual([1, 2, 3, 4, 5].map((stageVersion) => eventId(1, stageVersion)));
  });
});

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
