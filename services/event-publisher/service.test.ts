import { createHash } from "node:crypto";
import { topics } from "@sluice/contracts";
import { deliveryStartMs } from "@sluice/delivery/delivery-environment";
import { eventId as derivedId } from "@sluice/domain";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import {
  esmStateEventId,
  stateEventId,
  publisherHourMs,
  createPublisherEnvironment,
  buildStages,
  eventUetr,
} from "./event-publisher.fixture.ts";

describe("event postings", { timeout: 30_000 }, () => {
  it("one POST for each event, in order per UETR, acknowledged by any 2xx, with a receipt and nothing in the journal [4 event-posting] [4 delivery-1] [4 delivery-2] [6 delivery] [D8 acknowledged]", async () => {
    const environment = createPublisherEnvironment();
    await environment.start();
    environment.answers(({ attempt, id }) =>
      attempt === 1 && id.endsWith("3") ? 503 : (([200, 202, 204] as const)[Number(id.slice(-1)) % 3] ?? 202),
    );
    await environment.publish(...buildStages(1, 7), ...buildStages(2, 7));
    await environment.until(() => environment.receipts().length === 14);
    for (const number of [1, 2]) {
      const posted = environment.received
        .filter(({ id, status }) => id.startsWith(stateEventId(number, 0).slice(0, 16)) && status !== 503)
        .map(({ id }) => id);
      expect(posted).toEqual(buildStages(number, 7).map(({ stageVersion }) => stateEventId(number, stageVersion ?? 0)));
    }
    expect(environment.received[0]).toMatchObject({
      operation: "events",
      body: `{"id":"${stateEventId(1, 1)}"}`,
      headers: { "webhook-id": stateEventId(1, 1), "idempotency-key": stateEventId(1, 1) },
    });
    expect(environment.receipts().find(({ webhookId }) => webhookId === stateEventId(1, 1))).toMatchObject({
      operation: "events",
      stageVersion: 1,
      outcome: "ACKNOWLEDGED",
      attempts: 1,
    });
    expect(environment.broker.records({ topic: topics.journal, partition: 0 })).toEqual([]);
    await environment.time.advance(1_000);
    expect(await environment.parked("postings")).toEqual([]);
  });

  it("a duplicate code acknowledges a posting only on an attempt that may not be the first [D3 duplicate-codes]", async () => {
    const environment = createPublisherEnvironment({ banks: [sampleBank({ id: "first", duplicateCodes: [412] })] });
    await environment.start();
    environment.answers(({ id, attempt }) => (id === stateEventId(1, 1) && attempt === 1 ? 503 : 412));
    await environment.publish(...buildStages(1, 2));
    await environment.until(() => environment.receipts().length === 2);
    expect(environment.outcomes()).toEqual(
      new Map([
        [stateEventId(1, 1), "ACKNOWLEDGED"],
        [stateEventId(1, 2), "REFUSED"],
      ]),
    );
  });

  it("I13: a posting that is refused for good is kept as undelivered, and the next one is sent [6 effect] [D8 undelivered]", async () => {
    const environment = createPublisherEnvironment();
    await environment.start();
    environment.answers(({ id }) => (id === stateEventId(1, 2) ? 400 : 202));
    await environment.publish(...buildStages(1, 3));
    await environment.until(() => environment.receipts().length === 3);
    expect(environment.outcomes()).toEqual(
      new Map([
        [stateEventId(1, 1), "ACKNOWLEDGED"],
        [stateEventId(1, 2), "REFUSED"],
        [stateEventId(1, 3), "ACKNOWLEDGED"],
      ]),
    );
    await environment.time.advance(publisherHourMs);
    expect(environment.attemptsOf(stateEventId(1, 2))).toHaveLength(1);
    expect(await environment.parked("postings")).toMatchObject([{ id: stateEventId(1, 2), ended: "refused" }]);
    expect(environment.broker.records({ topic: topics.journal, partition: 0 })).toEqual([]);
  });

  it("a posting past its deadline is kept as undelivered, and the next one is sent [D3 deadlines] [D8 undelivered]", async () => {
    const environment = createPublisherEnvironment();
    const first = await environment.start();
    environment.answers(({ id }) => (id === stateEventId(1, 1) ? 503 : 202));
    await environment.publish(
      { stageVersion: 1, deadlineMs: deliveryStartMs + publisherHourMs / 6 },
      { stageVersion: 2 },
      { stageVersion: 3, deadlineMs: deliveryStartMs - 1 },
      { stageVersion: 4 },
    );
    await environment.time.advance(publisherHourMs / 12);
    expect([...environment.outcomes().keys()]).toEqual([stateEventId(1, 3)]);
    await environment.until(() => environment.receipts().length === 4);
    expect(environment.outcomes().get(stateEventId(1, 1))).toBe("EXPIRED");
    expect(environment.outcomes().get(stateEventId(1, 3))).toBe("EXPIRED");
    expect(environment.outcomes().get(stateEventId(1, 2))).toBe("ACKNOWLEDGED");
    expect(environment.received.findIndex(({ id }) => id === stateEventId(1, 4))).toBeGreaterThan(
      environment.received.findIndex(({ id }) => id === stateEventId(1, 2)),
    );
    await first.stop();
    await environment.start();
    const attempts = environment.received.length;
    await environment.time.advance(publisherHourMs);
    expect(environment.received).toHaveLength(attempts);
    expect((await environment.parked("postings")).map(({ id, ended }) => [id, ended])).toEqual([
      [stateEventId(1, 1), "refused"],
      [stateEventId(1, 3), "refused"],
    ]);
  });

  it("a bank without an address for events costs nothing: no request, no receipt, no write of a posting, and the partition continues [6 delivery] [D8 optional]", async () => {
    const environment = createPublisherEnvironment({ banks: [sampleBank({ id: "first" }), sampleBank({ id: "quiet", eventsUrl: null })] });
    const calls: string[] = [];
    await environment.start();
    environment.hooks.store.fault = ({ operation }) => {
      // The take-over claims the parked postings, and reads them once.
      const isTakeOver = operation === "postings.raiseVersions" || operation === "postings.listByPartition";
      if (operation.startsWith("postings") && !isTakeOver) calls.push(operation);
      return "none";
    };
    await environment.publishBoth(...buildStages(1, 5).map((stage) => ({ ...stage, bank: "quiet" })));
    await environment.publish({ uetr: eventUetr(2) });
    await environment.until(() => environment.receipts().length === 1);
    await environment.time.advance(1_000);
    expect(environment.received.map(({ receiverId }) => receiverId)).toEqual(["first"]);
    expect(environment.receipts().map(({ bank }) => bank)).toEqual(["first"]);
    expect(calls).toEqual([]);
    expect((await environment.during(environment.store.partitions.list("event-publisher")))[0]?.position).toBe(11n);
    // Checks the count itself: a bank that has an address and refuses makes some writes.
    environment.answers(() => 400);
    await environment.publish({ uetr: eventUetr(3) });
    await environment.until(() => environment.receipts().length === 2);
    await environment.time.advance(10);
    expect(calls).toEqual(["postings.insert", "postings.update"]);
  });

  it("I4: an event of class ESM_STATE follows that of the same state, with an id of its own and no stageVersion, through repeats and a restart [2.3 class] [D8 ESM_STATE]", async () => {
    const environment = createPublisherEnvironment();
    const first = await environment.start();
    let refusals = 6;
    environment.answers(() => ((refusals -= 1) >= 0 ? 503 : 202));
    await environment.publishBoth(...buildStages(1, 3));
    await environment.until(() => refusals < 3);
    await first.stop();
    await environment.start();
    await environment.until(() => environment.receipts().length === 6);
    const posted = environment.received.filter(({ status }) => status === 202).map(({ id }) => id);
    expect(posted).toEqual([1, 2, 3].flatMap((stageVersion) => [stateEventId(1, stageVersion), esmStateEventId(1, stageVersion)]));
    const firsts = [...new Set(environment.received.map(({ id }) => id))];
    expect(firsts).toEqual(posted);
    expect(environment.receipts().map(({ stageVersion, operation }) => [stageVersion, operation])).toEqual(
      [1, 2, 3].flatMap((stageVersion) => [
        [stageVersion, "events"],
        [null, "events"],
      ]),
    );
    for (const { headers, id, body } of environment.received) {
      expect(headers).toMatchObject({ "webhook-id": id, "idempotency-key": id });
      expect(body).toBe(`{"id":"${id}"}`);
    }
    expect(environment.broker.records({ topic: topics.journal, partition: 0 })).toEqual([]);
  });

  it("I4: a posting names its place: the stageVersion, and the id of the posting before it, the same after repeats and a restart [D8 sequence]", async () => {
    const environment = createPublisherEnvironment();
    const first = await environment.start();
    let refusals = 6;
    environment.answers(() => ((refusals -= 1) >= 0 ? 503 : 202));
    const idOf = (number: number, stageVersion: number): string => derivedId(eventUetr(number), stageVersion, sha256);
    const places = [1, 2].flatMap((number) => [1, 2, 3].map((stageVersion) => ({ number, stageVersion })));
    await environment.publishBoth(
      ...places.map(({ number, stageVersion }) => ({ uetr: eventUetr(number), stageVersion, id: idOf(number, stageVersion) })),
    );
    await environment.until(() => refusals < 3);
    await first.stop();
    await environment.start();
    await environment.until(() => environment.receipts().length === 12);
    expect(environment.received.length).toBeGreaterThan(12);
    for (const { headers, id } of environment.received) {
      const of = places.find(({ number, stageVersion }) => idOf(number, stageVersion) === id);
      expect([headers["sluice-sequence"], headers["sluice-previous-id"]]).toEqual(
        of === undefined
          ? [undefined, undefined]
          : [String(of.stageVersion), of.stageVersion === 1 ? undefined : idOf(of.number, of.stageVersion - 1)],
      );
    }
  });

  it("I13: a refused posting of one class does not delay the other class", async () => {
    const environment = createPublisherEnvironment();
    await environment.start();
    environment.answers(({ id }) => (id === esmStateEventId(1, 1) ? 422 : 202));
    await environment.publishBoth(...buildStages(1, 2));
    await environment.until(() => environment.receipts().length === 4);
    const acknowledged = [stateEventId(1, 1), stateEventId(1, 2), esmStateEventId(1, 2)].map((id) => [id, "ACKNOWLEDGED"] as const);
    expect(environment.outcomes()).toEqual(new Map([...acknowledged, [esmStateEventId(1, 1), "REFUSED"]]));
    expect(await environment.parked("postings")).toMatchObject([{ id: esmStateEventId(1, 1), ended: "refused" }]);
  });

  it("I14: a bank that takes no events delays no other bank, and a record that is no event goes to the dead letters", async () => {
    const environment = createPublisherEnvironment({ banks: [sampleBank({ id: "first" }), sampleBank({ id: "down", connections: 2 })] });
    await environment.start();
    environment.answers(({ receiverId: bank }) => (bank === "down" ? "silent" : 204));
    await environment.publish(...Array.from({ length: 100 }, (_, index) => ({ uetr: eventUetr(100 + index), bank: "down" })));
    await environment.append(topics.events, [{ key: eventUetr(1), decoded: { name: "DayClosed", value: { day: "ZA_EFT:2026-11-20" } } }]);
    await environment.publishBoth(...buildStages(1, 7));
    await environment.until(() => environment.receipts().length === 14, 10_000);
    expect(environment.records(topics.deadLetters, "DeadLetter")).toMatchObject([{ service: "event-publisher" }]);
  });

  it("parked postings survive a restart: they are posted in order, from the first that was not taken", async () => {
    const environment = createPublisherEnvironment();
    const first = await environment.start();
    let isUp = false;
    environment.answers(() => (isUp ? 200 : 500));
    await environment.publish(...buildStages(1, 4));
    await environment.time.advance(20_000);
    first.kill();
    isUp = true;
    await environment.start();
    await environment.publish({ stageVersion: 5 });
    await environment.until(() => environment.receipts().length === 5);
    const posted = environment.received.filter(({ status }) => status === 200).map(({ id }) => id);
    expect(posted).toEqual([1, 2, 3, 4, 5].map((stageVersion) => stateEventId(1, stageVersion)));
  });
});

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
