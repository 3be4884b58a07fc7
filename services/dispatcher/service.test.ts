import { topics } from "@sluice/contracts";
import { day, startAtMs } from "@sluice/delivery/delivery-world";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { dispatcherWorld, messageId, stopOf, uetr } from "./dispatcher.fixture.ts";

const minuteMs = 60_000;
const closesAtMs = startAtMs + 60 * minuteMs;
const parkedIds = async (world: ReturnType<typeof dispatcherWorld>) => (await world.parked("deliveries")).map(({ id }) => id);

describe("a delivery that the bank acknowledges", { timeout: 30_000 }, () => {
  it("is one POST with the finished bytes, then DeliveryEnded ACKNOWLEDGED and a receipt, and nothing in the store [4 outboundDirectDebitResponse] [4 inboundDirectDebit] [4 step-5] [4 step-8] [8 ack-202]", async () => {
    const world = dispatcherWorld();
    await world.start();
    await world.dispatch({ messageIdentification: messageId(1) }, { messageIdentification: messageId(2, "D") });
    await world.until(() => world.receipts().length === 2);
    expect(world.received.map(({ id, operation, body }) => ({ id, operation, body }))).toEqual(
      expect.arrayContaining([
        { id: messageId(1), operation: "outboundDirectDebitResponse", body: `{"id":"${messageId(1)}","value":1250.50}` },
        { id: messageId(2, "D"), operation: "inboundDirectDebit", body: `{"id":"${messageId(2, "D")}","value":1250.50}` },
      ]),
    );
    expect(world.ended().find((fact) => fact.messageIdentification === messageId(1))).toMatchObject({
      operation: "outboundDirectDebitResponse",
      outcome: "ACKNOWLEDGED",
      httpStatusCode: 202,
      attempts: 1,
      anyAnswer: true,
      recentAttempts: [{ httpStatusCode: 202, answer: null }],
      breakerOpen: false,
      bankPaused: false,
      stopOffset: null,
    });
    expect(world.receipts()[0]).toMatchObject({ bank: "first", outcome: "ACKNOWLEDGED", attempts: 1, stageVersion: null });
    expect(await world.parked("deliveries")).toEqual([]);
  });

  it("I3: every attempt has the same bytes and id, and the trace of its record, also when it was parked between [4 step-4] [7.8] [D8 headers]", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(({ attempt }) => (attempt < 4 ? 503 : 202));
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await world.dispatchWith({ traceparent }, { messageIdentification: messageId(1) });
    await world.until(() => world.receipts().length === 1);
    expect(world.received).toHaveLength(4);
    expect(new Set(world.received.map(({ body }) => body)).size).toBe(1);
    for (const { headers, atMs } of world.received) {
      expect(headers).toEqual({
        "content-type": "application/json",
        "webhook-id": messageId(1),
        "webhook-timestamp": String(Math.floor(atMs / 1_000)),
        "idempotency-key": messageId(1),
        "user-agent": "Sluice",
        traceparent,
      });
    }
    expect(world.ended()).toMatchObject([
      { outcome: "ACKNOWLEDGED", attempts: 4, recentAttempts: [503, 503, 503, 202].map((httpStatusCode) => ({ httpStatusCode })) },
    ]);
    expect(world.log.records({ topic: topics.journal, partition: 0 })[0]?.headers).toMatchObject({ traceparent });
    expect(world.receipts()).toMatchObject([{ outcome: "ACKNOWLEDGED", attempts: 4, firstAttemptAtMs: world.received[0]?.atMs }]);
    await world.time.advance(100);
    expect(await world.parked("deliveries")).toEqual([]);
  });

  it("only 202 acknowledges: another 2xx is about the address, is repeated after 1 to 5 min, and warns [8 ack-202] [D3 address]", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(({ attempt }) => ([200, 204, 307, 404, 202] as const)[attempt - 1] ?? 500);
    await world.dispatch({});
    await world.until(() => world.receipts().length === 1);
    const gaps = gapsOf(world.received.map(({ atMs }) => atMs));
    expect(gaps).toHaveLength(4);
    for (const gapMs of gaps) expect(gapMs >= minuteMs && gapMs <= 5 * minuteMs + 100).toBe(true);
    const failed = world.logged.filter(({ event }) => event === "delivery.failed");
    expect(failed.map(({ level }) => level)).toEqual(["warn", "warn", "warn", "warn"]);
  });

  it("a passing trouble is no warning", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(({ attempt }) => ([503, "silent", 202] as const)[attempt - 1] ?? 500);
    await world.dispatch({});
    await world.until(() => world.receipts().length === 1);
    expect(world.logged.filter(({ event }) => event === "delivery.failed").map(({ level }) => level)).toEqual(["info", "info"]);
  });
});

describe("a code that means seen before", { timeout: 30_000 }, () => {
  const banks = [sampleBank({ id: "first", duplicateCodes: [412] })];

  it("is one configured for the receiver; it refuses on a first attempt, and acknowledges a later one [D3 duplicate-codes]", async () => {
    const world = dispatcherWorld({ banks });
    await world.start();
    world.answers(({ id, attempt }) => {
      if (id !== messageId(1) && attempt === 1) return "silent";
      return id === messageId(3) ? 409 : 412;
    });
    await world.dispatch(...[1, 2, 3].map((number) => ({ messageIdentification: messageId(number) })));
    await world.until(() => world.receipts().length === 3);
    const outcomes = new Map(world.ended().map(({ messageIdentification, outcome }) => [messageIdentification, outcome]));
    expect([1, 2, 3].map((number) => outcomes.get(messageId(number)))).toEqual(["REFUSED", "ACKNOWLEDGED", "REFUSED"]);
  });

  it("acknowledges any attempt on a record that lay in the topic when the lane was taken", async () => {
    const world = dispatcherWorld({ banks });
    world.answers(() => 412);
    await world.dispatch({});
    await world.start();
    await world.until(() => world.receipts().length === 1);
    expect(world.ended()).toMatchObject([{ outcome: "ACKNOWLEDGED", httpStatusCode: 412, attempts: 1 }]);
  });
});

describe("a 2xx other than 202", { timeout: 30_000 }, () => {
  it("acknowledges a first attempt only where it is configured for the receiver [D3 acknowledge-codes]", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", acknowledgeCodes: [200] }), sampleBank({ id: "second" })] });
    await world.start();
    world.answers(({ id, attempt }) => (attempt > 1 ? 202 : id === messageId(2) ? 201 : 200));
    await world.dispatch(
      { messageIdentification: messageId(1) },
      { messageIdentification: messageId(2), deliveryKey: messageId(2) },
      { messageIdentification: messageId(3), deliveryKey: messageId(3), bank: "second" },
    );
    await world.until(() => world.receipts().length === 3, 6 * minuteMs);
    const ends = new Map(
      world.ended().map(({ messageIdentification, ...end }) => [messageIdentification, [end.attempts, end.httpStatusCode]]),
    );
    expect([1, 2, 3].map((number) => ends.get(messageId(number)))).toEqual([
      [1, 200],
      [2, 202],
      [2, 202],
    ]);
  });
});

describe("how long an answer is waited for", { timeout: 30_000 }, () => {
  it("is the receiver's own: what comes later is no answer [D3 time-out]", async () => {
    const banks = [sampleBank({ id: "first", answerTimeoutMs: 1_000 }), sampleBank({ id: "second", answerTimeoutMs: 30_000 })];
    const world = dispatcherWorld({ banks });
    await world.start();
    world.answers(({ attempt }) => ({ status: 202, afterMs: attempt === 1 ? 6_000 : 5 }));
    await world.dispatch({ deliveryKey: messageId(1) }, { messageIdentification: messageId(2), deliveryKey: messageId(2), bank: "second" });
    await world.until(() => world.receipts().length === 2);
    const tookMs = world.receipts().map(({ bank, attempts, recentAttempts }) => [bank, attempts, recentAttempts[0]?.tookMs]);
    expect(new Set(tookMs.map(String))).toEqual(new Set(["first,2,1000", "second,1,6000"]));
  });
});

describe("a delivery that is refused for good", { timeout: 30_000 }, () => {
  it("is a fact at once, stays parked and is not tried again; a stop ends it [7.3] [D3 not-recoverable]", async () => {
    const world = dispatcherWorld();
    const process = await world.start();
    world.answers(() => 422);
    await world.dispatch({});
    await world.until(() => world.ended().length === 1);
    await world.time.advance(30 * minuteMs);
    expect(world.received).toHaveLength(1);
    expect(world.ended()).toMatchObject([{ outcome: "REFUSED", httpStatusCode: 422, attempts: 1, anyAnswer: true }]);
    expect(await world.parked("deliveries")).toMatchObject([{ id: messageId(1), ended: "refused", attempts: 1 }]);
    await process.stop();
    await world.start();
    await world.time.advance(30 * minuteMs);
    expect(world.received).toHaveLength(1);
    await world.stop({});
    await world.until(() => world.ended().length === 2);
    await world.time.advance(1_000);
    expect(world.ended()[1]).toMatchObject({ outcome: "STOPPED", attempts: 1, anyAnswer: true, httpStatusCode: null });
    expect(world.receipts().map(({ outcome }) => outcome)).toEqual(["REFUSED", "STOPPED"]);
    expect(await world.parked("deliveries")).toEqual([]);
  });

  it("holds nothing up: the next message of its UETR is sent", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(({ id }) => (id === messageId(1) ? 400 : 202));
    await world.dispatch({ messageIdentification: messageId(1) }, { messageIdentification: messageId(1, "D") });
    await world.until(() => world.ended().length === 2);
    expect(world.ended().map(({ outcome }) => outcome)).toEqual(["REFUSED", "ACKNOWLEDGED"]);
  });
});

describe("a stop", { timeout: 30_000 }, () => {
  it("ends a parked delivery: STOPPED with its attempts and answers, and no further attempt", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(() => 503);
    await world.dispatch({});
    await world.until(() => world.received.length === 5);
    await world.stop({ causedByOffset: 77n });
    await world.until(() => world.receipts().length === 1);
    const attempts = world.received.length;
    await world.time.advance(20 * minuteMs);
    expect(world.received).toHaveLength(attempts);
    expect(world.ended()).toMatchObject([
      { outcome: "STOPPED", attempts, anyAnswer: true, httpStatusCode: null, stopOffset: 77n, operation: "outboundDirectDebitResponse" },
    ]);
    expect(world.receipts()).toMatchObject([{ outcome: "STOPPED", attempts }]);
    expect(await world.parked("deliveries")).toEqual([]);
  });

  it("says that a silent bank never answered [7.7]", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(() => "silent");
    await world.dispatch({ messageIdentification: messageId(1, "D") });
    await world.until(() => world.received.length === 2);
    await world.stop(stopOf(1, "D"));
    await world.until(() => world.ended().length === 1);
    expect(world.ended()).toMatchObject([
      { outcome: "STOPPED", operation: "inboundDirectDebit", anyAnswer: false, attempts: world.received.length },
    ]);
    expect(world.ended()[0]?.recentAttempts.every(({ httpStatusCode, answer }) => httpStatusCode === null && answer === "timeout")).toBe(
      true,
    );
  });

  it("is answered for a message that was never seen, without a receipt", async () => {
    const world = dispatcherWorld();
    await world.start();
    await world.stop({});
    await world.until(() => world.ended().length === 1);
    expect(world.ended()).toMatchObject([{ outcome: "STOPPED", attempts: 0, anyAnswer: false, recentAttempts: [] }]);
    await world.time.advance(1_000);
    expect(world.receipts()).toEqual([]);
  });

  it("is answered for a message that has ended, with what is still known of its attempts", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(({ attempt }) => (attempt === 1 ? 500 : 202));
    await world.dispatch({});
    await world.until(() => world.ended().length === 1);
    await world.stop({});
    await world.until(() => world.ended().length === 2);
    expect(world.ended()[1]).toMatchObject({ outcome: "STOPPED", attempts: 2, anyAnswer: true });
  });

  it("waits for the attempt under way, and says what it brought", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(({ attempt }) => (attempt === 1 ? 500 : { status: 202, afterMs: 4_000 }));
    await world.dispatch({});
    await world.until(() => world.received.length === 2);
    await world.stop({});
    await world.time.advance(3_000);
    expect(world.ended()).toEqual([]);
    await world.until(() => world.ended().length === 2);
    expect(world.ended()).toMatchObject([
      { outcome: "ACKNOWLEDGED", attempts: 2 },
      { outcome: "STOPPED", attempts: 2, anyAnswer: true },
    ]);
  });

  it("older than the last one applied is ignored; the same once more is answered once more", async () => {
    const world = dispatcherWorld();
    await world.start();
    await world.stop({ causedByOffset: 20n });
    await world.stop({ causedByOffset: 10n });
    await world.stop({ causedByOffset: 20n });
    await world.until(() => world.ended().length === 2);
    await world.time.advance(5_000);
    expect(world.ended().map(({ stopOffset }) => stopOffset)).toEqual([20n, 20n]);
  });

  it("is appended until the log has acknowledged it", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(() => 503);
    await world.dispatch({});
    await world.until(() => world.received.length === 2);
    let refusals = 0;
    world.hooks.log.produce = (client, batch) =>
      client !== "test" && batch.some(({ topic }) => topic === topics.journal) && (refusals += 1) <= 5
        ? { kind: refusals % 2 === 0 ? "refuse" : "lose-answer" }
        : { kind: "append" };
    await world.stop({});
    await world.until(() => world.receipts().length > 0 && refusals > 5);
    await world.time.advance(1_000);
    expect(world.ended().every(({ outcome }) => outcome === "STOPPED")).toBe(true);
    expect(await world.parked("deliveries")).toEqual([]);
  });
});

describe("the close of a day", { timeout: 30_000 }, () => {
  it("no clock ends a delivery: past the planned close attempts stop, and only the stop brings its end [D3 deadlines]", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(() => 503);
    await world.dayTimes(1, closesAtMs);
    await world.dispatch({});
    await world.time.advance(closesAtMs + 90 * minuteMs - world.time.nowMs());
    const last = world.received.at(-1)?.atMs ?? 0;
    expect(last).toBeLessThanOrEqual(closesAtMs + 100);
    expect(last).toBeGreaterThan(closesAtMs - 2 * minuteMs);
    expect(world.ended()).toEqual([]);
    expect(world.receipts()).toEqual([]);
    expect(await parkedIds(world)).toEqual([messageId(1)]);
    await world.stop({});
    await world.until(() => world.ended().length === 1);
    expect(world.ended()).toMatchObject([{ outcome: "STOPPED", attempts: world.received.length }]);
  });

  it("the marker of the close ends attempts at once, and a message that comes after it is parked without one", async () => {
    const world = dispatcherWorld();
    const first = await world.start();
    world.answers(() => 503);
    await world.dispatch({ messageIdentification: messageId(1) });
    await world.until(() => world.received.length === 3);
    await world.dayReconciled();
    await world.time.advance(500);
    const attempts = world.received.length;
    await world.dispatch({ messageIdentification: messageId(2) });
    await world.time.advance(20 * minuteMs);
    // What the lane has passed survives in its document.
    await first.stop();
    await world.start();
    await world.dispatch({ messageIdentification: messageId(3) });
    await world.time.advance(20 * minuteMs);
    expect(world.received).toHaveLength(attempts);
    expect(await parkedIds(world)).toEqual([messageId(1), messageId(2), messageId(3)]);
    for (const number of [1, 2, 3]) await world.stop(stopOf(number));
    await world.until(() => world.ended().length === 3);
    expect(world.ended().map((fact) => [fact.messageIdentification, fact.attempts])).toEqual([
      [messageId(1), attempts],
      [messageId(2), 0],
      [messageId(3), 0],
    ]);
  });

  it("a close put back after it had passed brings the parked ones back", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(({ atMs }) => (atMs < closesAtMs ? 503 : 202));
    await world.dayTimes(1, closesAtMs);
    await world.dispatch({ messageIdentification: messageId(1) });
    await world.time.advance(closesAtMs + minuteMs - world.time.nowMs());
    await world.dispatch({ messageIdentification: messageId(2) });
    await world.time.advance(minuteMs);
    expect(await parkedIds(world)).toEqual([messageId(1), messageId(2)]);
    await world.dayTimes(2, closesAtMs + 60 * minuteMs);
    await world.until(() => world.ended().length === 2, 5 * minuteMs);
    expect(world.ended().map(({ outcome }) => outcome)).toEqual(["ACKNOWLEDGED", "ACKNOWLEDGED"]);
  });

  it("messages past their close do not make a bank spill: those of the next day take the fast path", async () => {
    const world = dispatcherWorld({ bounds: { pageMessagesMax: 8 } });
    const first = await world.start();
    world.answers(() => 503);
    await world.dispatch(...Array.from({ length: 30 }, (_, index) => ({ messageIdentification: messageId(index + 1) })));
    await world.until(() => world.received.length > 30);
    await world.dayReconciled();
    await world.time.advance(minuteMs);
    world.answers(() => 202);
    await world.dispatch({ messageIdentification: messageId(40), closesWith: "ZA_EFT:2026-11-21" });
    await world.until(() => world.ended().length === 1, 2_000);
    await first.stop();
    await world.start();
    await world.dispatch({ messageIdentification: messageId(41), closesWith: "ZA_EFT:2026-11-21" });
    await world.until(() => world.ended().length === 2, 2_000);
    expect(await world.parked("deliveries")).toHaveLength(30);
  });
});

describe("a delivery with an own deadline", { timeout: 30_000 }, () => {
  const own = (id: string, deadlineMs: number) => ({ messageIdentification: id, closesWith: null, deadlineMs });

  it("ends by it, with a receipt and no fact for the journal", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(() => 503);
    await world.dispatch(own(messageId(1), startAtMs + 10 * minuteMs), own(messageId(2), startAtMs - 1));
    await world.until(() => world.receipts().length === 2);
    expect(world.receipts()).toMatchObject([
      { webhookId: messageId(2), outcome: "EXPIRED", attempts: 0 },
      { webhookId: messageId(1), outcome: "EXPIRED", attempts: world.received.length },
    ]);
    const endedAtMs = world.receipts()[1]?.endedAtMs ?? 0;
    expect(endedAtMs).toBeGreaterThanOrEqual(startAtMs + 10 * minuteMs);
    expect(endedAtMs).toBeLessThan(startAtMs + 10 * minuteMs + 10_000);
    await world.time.advance(20 * minuteMs);
    expect(world.ended()).toEqual([]);
    expect(await world.parked("deliveries")).toEqual([]);
  });
});

describe("what cannot be delivered as it is", { timeout: 30_000 }, () => {
  it("a bank that is not configured has no address: parked, tried again after minutes, never lost", async () => {
    const world = dispatcherWorld();
    await world.start();
    await world.dispatch({ bank: "unknown" });
    await world.time.advance(20 * minuteMs);
    expect(world.received).toEqual([]);
    const [parked] = await world.parked("deliveries");
    expect(parked).toMatchObject({ id: messageId(1), anyAnswer: false, ended: null });
    expect(parked?.attempts).toBeGreaterThan(3);
    expect(parked?.attempts).toBeLessThan(21);
  });

  it("an unreadable record, and one that does not belong here, go to the dead letters; the lane goes on", async () => {
    const world = dispatcherWorld();
    await world.start();
    const producer = await world.during(world.log.producer("test"));
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
    const base = { topic: topics.dispatch, partition: 0, key: bytes(uetr(1)), headers: {} };
    await world.during(
      producer.send([
        { ...base, value: bytes("not avro at all") },
        { ...base, value: null },
        { ...base, key: null, value: Uint8Array.of(0, 0, 0, 0, 1) },
      ]),
    );
    await world.append(topics.dispatch, [{ key: uetr(1), decoded: { name: "DayClosed", value: { day } } }]);
    await world.dispatch({});
    await world.until(() => world.ended().length === 1);
    await world.time.advance(1_000);
    const letters = world.records(topics.deadLetters, "DeadLetter").toSorted((a, b) => Number(a.offset - b.offset));
    expect(letters.map(({ offset, service }) => [offset, service])).toEqual([0n, 1n, 2n, 3n].map((offset) => [offset, "dispatcher"]));
    expect(world.failures).toEqual([]);
  });

  it("a record whose schema is not known stops its key, loudly, and goes on by itself when it is", async () => {
    const world = dispatcherWorld();
    const { running } = await world.start();
    await world.dispatch({ messageIdentification: messageId(1) });
    await world.until(() => world.ended().length === 1);
    const producer = await world.during(world.log.producer("test"));
    const value = Uint8Array.of(0, 0, 1, 0, 0, 9, 9);
    await world.during(
      producer.send([{ topic: topics.dispatch, partition: 0, key: new TextEncoder().encode(uetr(1)), value, headers: {} }]),
    );
    await world.dispatch({ messageIdentification: messageId(1, "D") }, { messageIdentification: messageId(2) });
    await world.until(() => world.ended().length === 2);
    await world.time.advance(minuteMs);
    expect(world.endedIds()).toEqual(new Set([messageId(1), messageId(2)]));
    expect(running.readiness().reasons.join()).toContain("unknown-schema");
    expect((await world.during(world.store.lanes.list("dispatcher")))[0]?.position).toBe(1n);
  });
});

describe("stopping the process", { timeout: 30_000 }, () => {
  it("finishes what is under way, writes its position, and leaves nothing behind that runs", async () => {
    const world = dispatcherWorld();
    const process = await world.start();
    world.answers(({ id }) => (id === messageId(2) ? 503 : { status: 202, afterMs: 2_000 }));
    await world.dispatch({ messageIdentification: messageId(1) }, { messageIdentification: messageId(2) });
    await world.until(() => world.received.length === 2);
    await process.stop();
    expect(world.endedIds()).toEqual(new Set([messageId(1)]));
    expect((await world.during(world.store.lanes.list("dispatcher")))[0]?.position).toBe(2n);
    const attempts = world.received.length;
    await world.time.advance(10 * minuteMs);
    expect(world.received).toHaveLength(attempts);
    expect(world.time.pending()).toBeLessThan(3);
    await process.stop();
  });

  it("gives up within its grace time what cannot be finished; the next owner does it", async () => {
    const world = dispatcherWorld();
    const process = await world.start();
    await world.until(() => world.logged.some(({ event }) => event === "lane.taken"));
    await world.dispatch({ messageIdentification: messageId(1) });
    world.hooks.store.fault = ({ operation }) => (operation.startsWith("deliveries") ? "down" : "none");
    world.answers(() => 503);
    await world.until(() => world.received.length === 1);
    await world.time.advance(2_000);
    expect(process.running.readiness().reasons.join()).toContain("parked.insert is tried again");
    const fromMs = world.time.nowMs();
    await process.stop();
    expect(world.time.nowMs() - fromMs).toBeLessThan(9_000);
    world.hooks.store.fault = () => "none";
    world.answers(() => 202);
    await world.start();
    await world.until(() => world.ended().length === 1);
  });
});

function gapsOf(times: readonly number[]): number[] {
  return times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
}
