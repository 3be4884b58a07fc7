import { deliveryHeaders, topics } from "@sluice/contracts";
import { deliveryDay, deliveryStartMs } from "@sluice/delivery/delivery-environment";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId, buildStop, dispatchUetr } from "./dispatcher.fixture.ts";

const minuteMs = 60_000;
const closesAtMs = deliveryStartMs + 60 * minuteMs;
const parkedIds = async (environment: ReturnType<typeof createDispatcherEnvironment>) =>
  (await environment.parked("deliveries")).map(({ id }) => id);

describe("a delivery that the bank acknowledges", { timeout: 30_000 }, () => {
  it("is one POST with the finished bytes, then DeliveryEnded ACKNOWLEDGED and a receipt, and nothing in the store [4 outboundDirectDebitResponse] [4 inboundDirectDebit] [4 step-5] [4 step-8] [8 ack-202]", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) }, { messageIdentification: dispatchMessageId(2, "D") });
    await environment.until(() => environment.receipts().length === 2);
    expect(environment.received.map(({ id, operation, body }) => ({ id, operation, body }))).toEqual(
      expect.arrayContaining([
        { id: dispatchMessageId(1), operation: "outboundDirectDebitResponse", body: `{"id":"${dispatchMessageId(1)}","value":1250.50}` },
        { id: dispatchMessageId(2, "D"), operation: "inboundDirectDebit", body: `{"id":"${dispatchMessageId(2, "D")}","value":1250.50}` },
      ]),
    );
    expect(environment.ended().find((fact) => fact.messageIdentification === dispatchMessageId(1))).toMatchObject({
      operation: "outboundDirectDebitResponse",
      outcome: "ACKNOWLEDGED",
      httpStatusCode: 202,
      attempts: 1,
      anyAnswer: true,
      recentAttempts: [{ httpStatusCode: 202, answer: null }],
      isBreakerOpen: false,
      isReceiverPaused: false,
      stopOffset: null,
    });
    expect(environment.receipts()[0]).toMatchObject({ bank: "first", outcome: "ACKNOWLEDGED", attempts: 1, stageVersion: null });
    expect(await environment.parked("deliveries")).toEqual([]);
  });

  it("I3: every attempt has the same bytes and id, and the trace of its record, also when it was parked between [4 step-4] [7.8] [D8 headers] [D4.23]", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(({ attempt }) => (attempt < 4 ? 503 : 202));
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const tracestate = "congo=t61rcWkgMzE";
    await environment.dispatchWith({ traceparent, tracestate }, { messageIdentification: dispatchMessageId(1) });
    await environment.until(() => environment.receipts().length === 1);
    expect(environment.received).toHaveLength(4);
    expect(new Set(environment.received.map(({ body }) => body)).size).toBe(1);
    const known = Object.keys(deliveryHeaders);
    for (const { headers, atMs } of environment.received) {
      expect(Object.keys(headers).filter((name) => !known.includes(name))).toEqual([]);
      expect(headers).toEqual({
        "content-type": "application/json",
        "webhook-id": dispatchMessageId(1),
        "webhook-timestamp": String(Math.floor(atMs / 1_000)),
        "idempotency-key": dispatchMessageId(1),
        "user-agent": "Sluice",
        traceparent,
        tracestate,
      });
    }
    expect(environment.ended()).toMatchObject([
      { outcome: "ACKNOWLEDGED", attempts: 4, recentAttempts: [503, 503, 503, 202].map((httpStatusCode) => ({ httpStatusCode })) },
    ]);
    expect(environment.broker.records({ topic: topics.journal, partition: 0 })[0]?.headers).toMatchObject({ traceparent, tracestate });
    expect(environment.receipts()).toMatchObject([
      { outcome: "ACKNOWLEDGED", attempts: 4, firstAttemptAtMs: environment.received[0]?.atMs },
    ]);
    await environment.time.advance(100);
    expect(await environment.parked("deliveries")).toEqual([]);
  });

  it("only 202 acknowledges: another 2xx is about the address, is repeated after 1 to 5 min, and warns [8 ack-202] [D3 address]", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(({ attempt }) => ([200, 204, 307, 404, 202] as const)[attempt - 1] ?? 500);
    await environment.dispatch({});
    await environment.until(() => environment.receipts().length === 1);
    const gaps = gapsBetween(environment.received.map(({ atMs }) => atMs));
    expect(gaps).toHaveLength(4);
    for (const gapMs of gaps) expect(gapMs >= minuteMs && gapMs <= 5 * minuteMs + 100).toBe(true);
    const failed = environment.logged.filter(({ event }) => event === "delivery.failed");
    expect(failed.map(({ level }) => level)).toEqual(["warn", "warn", "warn", "warn"]);
  });

  it("a transient failure is no warning", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(({ attempt }) => ([503, "silent", 202] as const)[attempt - 1] ?? 500);
    await environment.dispatch({});
    await environment.until(() => environment.receipts().length === 1);
    expect(environment.logged.filter(({ event }) => event === "delivery.failed").map(({ level }) => level)).toEqual(["info", "info"]);
  });
});

describe("a duplicate code", { timeout: 30_000 }, () => {
  const banks = [sampleBank({ id: "first", duplicateCodes: [412] })];

  it("is one configured for the receiver; it refuses on a first attempt, and acknowledges a later one [D3 duplicate-codes]", async () => {
    const environment = createDispatcherEnvironment({ banks });
    await environment.start();
    environment.answers(({ id, attempt }) => {
      if (id !== dispatchMessageId(1) && attempt === 1) return "silent";
      return id === dispatchMessageId(3) ? 409 : 412;
    });
    await environment.dispatch(...[1, 2, 3].map((number) => ({ messageIdentification: dispatchMessageId(number) })));
    await environment.until(() => environment.receipts().length === 3);
    const outcomes = new Map(environment.ended().map(({ messageIdentification, outcome }) => [messageIdentification, outcome]));
    expect([1, 2, 3].map((number) => outcomes.get(dispatchMessageId(number)))).toEqual(["REFUSED", "ACKNOWLEDGED", "REFUSED"]);
  });

  it("acknowledges any attempt on a record that was in the topic when the partition was taken", async () => {
    const environment = createDispatcherEnvironment({ banks });
    environment.answers(() => 412);
    await environment.dispatch({});
    await environment.start();
    await environment.until(() => environment.receipts().length === 1);
    expect(environment.ended()).toMatchObject([{ outcome: "ACKNOWLEDGED", httpStatusCode: 412, attempts: 1 }]);
  });
});

describe("a 2xx other than 202", { timeout: 30_000 }, () => {
  it("acknowledges a first attempt only where it is configured for the receiver [D3 acknowledge-codes]", async () => {
    const environment = createDispatcherEnvironment({
      banks: [sampleBank({ id: "first", acknowledgeCodes: [200] }), sampleBank({ id: "second" })],
    });
    await environment.start();
    environment.answers(({ id, attempt }) => (attempt > 1 ? 202 : id === dispatchMessageId(2) ? 201 : 200));
    await environment.dispatch(
      { messageIdentification: dispatchMessageId(1) },
      { messageIdentification: dispatchMessageId(2), deliveryKey: dispatchMessageId(2) },
      { messageIdentification: dispatchMessageId(3), deliveryKey: dispatchMessageId(3), bank: "second" },
    );
    await environment.until(() => environment.receipts().length === 3, 6 * minuteMs);
    const ends = new Map(
      environment.ended().map(({ messageIdentification, ...end }) => [messageIdentification, [end.attempts, end.httpStatusCode]]),
    );
    expect([1, 2, 3].map((number) => ends.get(dispatchMessageId(number)))).toEqual([
      [1, 200],
      [2, 202],
      [2, 202],
    ]);
  });
});

describe("the time-out of an answer", { timeout: 30_000 }, () => {
  it("is the receiver's own: a later answer does not count [D3 time-out]", async () => {
    const banks = [sampleBank({ id: "first", answerTimeoutMs: 1_000 }), sampleBank({ id: "second", answerTimeoutMs: 30_000 })];
    const environment = createDispatcherEnvironment({ banks });
    await environment.start();
    environment.answers(({ attempt }) => ({ status: 202, afterMs: attempt === 1 ? 6_000 : 5 }));
    await environment.dispatch(
      { deliveryKey: dispatchMessageId(1) },
      { messageIdentification: dispatchMessageId(2), deliveryKey: dispatchMessageId(2), bank: "second" },
    );
    await environment.until(() => environment.receipts().length === 2);
    const tookMs = environment.receipts().map(({ bank, attempts, recentAttempts }) => [bank, attempts, recentAttempts[0]?.tookMs]);
    expect(new Set(tookMs.map(String))).toEqual(new Set(["first,2,1000", "second,1,6000"]));
  });
});

describe("a delivery that is refused for good", { timeout: 30_000 }, () => {
  it("is a fact at once, stays parked and is not tried again; a stop ends it [7.3] [D3 not-recoverable]", async () => {
    const environment = createDispatcherEnvironment();
    const process = await environment.start();
    environment.answers(() => 422);
    await environment.dispatch({});
    await environment.until(() => environment.ended().length === 1);
    await environment.time.advance(30 * minuteMs);
    expect(environment.received).toHaveLength(1);
    expect(environment.ended()).toMatchObject([{ outcome: "REFUSED", httpStatusCode: 422, attempts: 1, anyAnswer: true }]);
    expect(await environment.parked("deliveries")).toMatchObject([{ id: dispatchMessageId(1), ended: "refused", attempts: 1 }]);
    await process.stop();
    await environment.start();
    await environment.time.advance(30 * minuteMs);
    expect(environment.received).toHaveLength(1);
    await environment.stop({});
    await environment.until(() => environment.ended().length === 2);
    await environment.time.advance(1_000);
    expect(environment.ended()[1]).toMatchObject({ outcome: "STOPPED", attempts: 1, anyAnswer: true, httpStatusCode: null });
    expect(environment.receipts().map(({ outcome }) => outcome)).toEqual(["REFUSED", "STOPPED"]);
    expect(await environment.parked("deliveries")).toEqual([]);
  });

  it("delays nothing: the next message of its UETR is sent", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(({ id }) => (id === dispatchMessageId(1) ? 400 : 202));
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) }, { messageIdentification: dispatchMessageId(1, "D") });
    await environment.until(() => environment.ended().length === 2);
    expect(environment.ended().map(({ outcome }) => outcome)).toEqual(["REFUSED", "ACKNOWLEDGED"]);
  });
});

describe("a stop", { timeout: 30_000 }, () => {
  it("ends a parked delivery: STOPPED with its attempts and answers, and no further attempt", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(() => 503);
    await environment.dispatch({});
    await environment.until(() => environment.received.length === 5);
    await environment.stop({ causedByOffset: 77n });
    await environment.until(() => environment.receipts().length === 1);
    const attempts = environment.received.length;
    await environment.time.advance(20 * minuteMs);
    expect(environment.received).toHaveLength(attempts);
    expect(environment.ended()).toMatchObject([
      { outcome: "STOPPED", attempts, anyAnswer: true, httpStatusCode: null, stopOffset: 77n, operation: "outboundDirectDebitResponse" },
    ]);
    expect(environment.receipts()).toMatchObject([{ outcome: "STOPPED", attempts }]);
    expect(await environment.parked("deliveries")).toEqual([]);
  });

  it("says that a bank never answered [7.7]", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(() => "silent");
    await environment.dispatch({ messageIdentification: dispatchMessageId(1, "D") });
    await environment.until(() => environment.received.length === 2);
    await environment.stop(buildStop(1, "D"));
    await environment.until(() => environment.ended().length === 1);
    expect(environment.ended()).toMatchObject([
      { outcome: "STOPPED", operation: "inboundDirectDebit", anyAnswer: false, attempts: environment.received.length },
    ]);
    expect(
      environment.ended()[0]?.recentAttempts.every(({ httpStatusCode, answer }) => httpStatusCode === null && answer === "timeout"),
    ).toBe(true);
  });

  it("is answered for a message that was never seen, without a receipt", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    await environment.stop({});
    await environment.until(() => environment.ended().length === 1);
    expect(environment.ended()).toMatchObject([{ outcome: "STOPPED", attempts: 0, anyAnswer: false, recentAttempts: [] }]);
    await environment.time.advance(1_000);
    expect(environment.receipts()).toEqual([]);
  });

  it("is answered for a message that has ended, with what is still known of its attempts", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(() => 500);
    await environment.dispatch({ reconciliationDay: null, deadlineMs: environment.time.nowMs() + 3_000 });
    await environment.until(() => environment.receipts().length === 1);
    expect(environment.receipts()).toMatchObject([{ outcome: "EXPIRED" }]);
    await environment.stop({});
    await environment.until(() => environment.ended().length === 1);
    expect(environment.ended()).toMatchObject([{ outcome: "STOPPED", attempts: environment.received.length, anyAnswer: true }]);
  });

  it.each([
    [422, ["REFUSED", "STOPPED"]],
    [202, ["ACKNOWLEDGED"]],
  ])("waits for the running attempt, and reports its result, which is enough if that is %i", async (status, outcomes) => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(({ attempt }) => (attempt === 1 ? 500 : { status, afterMs: 4_000 }));
    await environment.dispatch({});
    await environment.until(() => environment.received.length === 2);
    await environment.stop({});
    await environment.time.advance(3_000);
    expect(environment.ended()).toEqual([]);
    await environment.time.advance(3_000);
    expect(environment.ended()).toMatchObject(outcomes.map((outcome) => ({ outcome, attempts: 2, anyAnswer: true })));
  });

  it("is ignored if it is older than the last one applied; the same one is answered again", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    await environment.stop({ causedByOffset: 20n });
    await environment.stop({ causedByOffset: 10n });
    await environment.stop({ causedByOffset: 20n });
    await environment.until(() => environment.ended().length === 2);
    await environment.time.advance(5_000);
    expect(environment.ended().map(({ stopOffset }) => stopOffset)).toEqual([20n, 20n]);
  });

  it("has its answer appended again until the broker has acknowledged it", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(() => 503);
    await environment.dispatch({});
    await environment.until(() => environment.received.length === 2);
    let refusals = 0;
    environment.hooks.log.produce = (client, batch) =>
      client !== "test" && batch.some(({ topic }) => topic === topics.journal) && (refusals += 1) <= 5
        ? { kind: refusals % 2 === 0 ? "refuse" : "lose-answer" }
        : { kind: "append" };
    await environment.stop({});
    await environment.until(() => environment.receipts().length > 0 && refusals > 5);
    await environment.time.advance(1_000);
    expect(environment.ended().every(({ outcome }) => outcome === "STOPPED")).toBe(true);
    expect(await environment.parked("deliveries")).toEqual([]);
  });
});

describe("the close of a day", { timeout: 30_000 }, () => {
  it("is not the end of a delivery: past the planned close attempts stop, and only the stop ends it [D3 deadlines] [D9.16]", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(() => 503);
    await environment.dayTimes(1, closesAtMs);
    await environment.dispatch({});
    await environment.time.advance(closesAtMs + 90 * minuteMs - environment.time.nowMs());
    const last = environment.received.at(-1)?.atMs ?? 0;
    expect(last).toBeLessThanOrEqual(closesAtMs + 100);
    expect(last).toBeGreaterThan(closesAtMs - 2 * minuteMs);
    expect(environment.ended()).toEqual([]);
    expect(environment.receipts()).toEqual([]);
    expect(await parkedIds(environment)).toEqual([dispatchMessageId(1)]);
    await environment.stop({});
    await environment.until(() => environment.ended().length === 1);
    expect(environment.ended()).toMatchObject([{ outcome: "STOPPED", attempts: environment.received.length }]);
  });

  it("ends attempts at once by its marker, and a message that comes after it is parked without one", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    environment.answers(() => 503);
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) });
    await environment.until(() => environment.received.length === 3);
    await environment.dayReconciled();
    await environment.time.advance(500);
    const attempts = environment.received.length;
    await environment.dispatch({ messageIdentification: dispatchMessageId(2) });
    await environment.time.advance(20 * minuteMs);
    // The applied markers survive in the partition's document.
    await first.stop();
    await environment.start();
    await environment.dispatch({ messageIdentification: dispatchMessageId(3) });
    await environment.time.advance(20 * minuteMs);
    expect(environment.received).toHaveLength(attempts);
    expect(await parkedIds(environment)).toEqual([dispatchMessageId(1), dispatchMessageId(2), dispatchMessageId(3)]);
    for (const number of [1, 2, 3]) await environment.stop(buildStop(number));
    await environment.until(() => environment.ended().length === 3);
    expect(environment.ended().map((fact) => [fact.messageIdentification, fact.attempts])).toEqual([
      [dispatchMessageId(1), attempts],
      [dispatchMessageId(2), 0],
      [dispatchMessageId(3), 0],
    ]);
  });

  it("resumes attempts on parked messages if it is extended after it had passed", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(({ atMs }) => (atMs < closesAtMs ? 503 : 202));
    await environment.dayTimes(1, closesAtMs);
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) });
    await environment.time.advance(closesAtMs + minuteMs - environment.time.nowMs());
    await environment.dispatch({ messageIdentification: dispatchMessageId(2) });
    await environment.time.advance(minuteMs);
    expect(await parkedIds(environment)).toEqual([dispatchMessageId(1), dispatchMessageId(2)]);
    await environment.dayTimes(2, closesAtMs + 60 * minuteMs);
    await environment.until(() => environment.ended().length === 2, 5 * minuteMs);
    expect(environment.ended().map(({ outcome }) => outcome)).toEqual(["ACKNOWLEDGED", "ACKNOWLEDGED"]);
  });

  it("does not make a bank spill: messages of the next day take the fast path", async () => {
    const environment = createDispatcherEnvironment({ bounds: { untriedInMemoryMax: 8 } });
    const first = await environment.start();
    environment.answers(() => 503);
    await environment.dispatch(...Array.from({ length: 30 }, (_, index) => ({ messageIdentification: dispatchMessageId(index + 1) })));
    await environment.until(() => environment.received.length > 30);
    await environment.dayReconciled();
    await environment.time.advance(minuteMs);
    environment.answers(() => 202);
    await environment.dispatch({ messageIdentification: dispatchMessageId(40), reconciliationDay: "ZA_EFT:2026-11-21" });
    await environment.until(() => environment.ended().length === 1, 2_000);
    await first.stop();
    await environment.start();
    await environment.dispatch({ messageIdentification: dispatchMessageId(41), reconciliationDay: "ZA_EFT:2026-11-21" });
    await environment.until(() => environment.ended().length === 2, 2_000);
    expect(await environment.parked("deliveries")).toHaveLength(30);
  });
});

describe("a delivery with a deadline of its own", { timeout: 30_000 }, () => {
  const own = (id: string, deadlineMs: number) => ({ messageIdentification: id, reconciliationDay: null, deadlineMs });

  it("ends at it, with a receipt and no fact for the journal", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(() => 503);
    await environment.dispatch(own(dispatchMessageId(1), deliveryStartMs + 10 * minuteMs), own(dispatchMessageId(2), deliveryStartMs - 1));
    await environment.until(() => environment.receipts().length === 2);
    expect(environment.receipts()).toMatchObject([
      { webhookId: dispatchMessageId(2), outcome: "EXPIRED", attempts: 0 },
      { webhookId: dispatchMessageId(1), outcome: "EXPIRED", attempts: environment.received.length },
    ]);
    const endedAtMs = environment.receipts()[1]?.endedAtMs ?? 0;
    expect(endedAtMs).toBeGreaterThanOrEqual(deliveryStartMs + 10 * minuteMs);
    expect(endedAtMs).toBeLessThan(deliveryStartMs + 10 * minuteMs + 10_000);
    await environment.time.advance(20 * minuteMs);
    expect(environment.ended()).toEqual([]);
    expect(await environment.parked("deliveries")).toEqual([]);
  });
});

describe("a record that cannot be delivered", { timeout: 30_000 }, () => {
  it("is parked and tried again after minutes, never lost, if its bank is not configured", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    await environment.dispatch({ bank: "unknown" });
    await environment.time.advance(20 * minuteMs);
    expect(environment.received).toEqual([]);
    const [parked] = await environment.parked("deliveries");
    expect(parked).toMatchObject({ id: dispatchMessageId(1), anyAnswer: false, ended: null });
    expect(parked?.attempts).toBeGreaterThan(3);
    expect(parked?.attempts).toBeLessThan(21);
  });

  it("goes to the dead letters if it is unreadable or does not belong here; the partition continues", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    const producer = await environment.during(environment.broker.producer("test"));
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
    const base = { topic: topics.dispatch, partition: 0, key: bytes(dispatchUetr(1)), headers: {} };
    await environment.during(
      producer.send([
        { ...base, value: bytes("not avro at all") },
        { ...base, value: null },
        { ...base, key: null, value: Uint8Array.of(0, 0, 0, 0, 1) },
      ]),
    );
    await environment.append(topics.dispatch, [{ key: dispatchUetr(1), decoded: { name: "DayClosed", value: { day: deliveryDay } } }]);
    await environment.dispatch({});
    await environment.until(() => environment.ended().length === 1);
    await environment.time.advance(1_000);
    const letters = environment.records(topics.deadLetters, "DeadLetter").toSorted((a, b) => Number(a.offset - b.offset));
    expect(letters.map(({ offset, service }) => [offset, service])).toEqual([0n, 1n, 2n, 3n].map((offset) => [offset, "dispatcher"]));
    expect(environment.failures).toEqual([]);
  });

  it("stops its key with a warning while its schema is not known, and continues by itself once it is", async () => {
    const environment = createDispatcherEnvironment();
    const { running } = await environment.start();
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) });
    await environment.until(() => environment.ended().length === 1);
    const producer = await environment.during(environment.broker.producer("test"));
    const value = Uint8Array.of(0, 0, 1, 0, 0, 9, 9);
    await environment.during(
      producer.send([{ topic: topics.dispatch, partition: 0, key: new TextEncoder().encode(dispatchUetr(1)), value, headers: {} }]),
    );
    await environment.dispatch({ messageIdentification: dispatchMessageId(1, "D") }, { messageIdentification: dispatchMessageId(2) });
    await environment.until(() => environment.ended().length === 2);
    await environment.time.advance(minuteMs);
    expect(environment.endedIds()).toEqual(new Set([dispatchMessageId(1), dispatchMessageId(2)]));
    expect(running.readiness().reasons.join()).toContain("unknown-schema");
    expect((await environment.during(environment.store.partitions.list("dispatcher")))[0]?.position).toBe(1n);
  });
});

describe("stopping the process", { timeout: 30_000 }, () => {
  it("finishes running attempts, writes its position, and leaves nothing running", async () => {
    const environment = createDispatcherEnvironment();
    const process = await environment.start();
    environment.answers(({ id }) => (id === dispatchMessageId(2) ? 503 : { status: 202, afterMs: 2_000 }));
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) }, { messageIdentification: dispatchMessageId(2) });
    await environment.until(() => environment.received.length === 2);
    await process.stop();
    expect(environment.endedIds()).toEqual(new Set([dispatchMessageId(1)]));
    expect((await environment.during(environment.store.partitions.list("dispatcher")))[0]?.position).toBe(2n);
    const attempts = environment.received.length;
    await environment.time.advance(10 * minuteMs);
    expect(environment.received).toHaveLength(attempts);
    expect(environment.time.pending()).toBeLessThan(3);
    await process.stop();
  });

  it("gives up unfinished work within its grace time; the next owner does it", async () => {
    const environment = createDispatcherEnvironment();
    const process = await environment.start();
    await environment.until(() => environment.logged.some(({ event }) => event === "partition.taken"));
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) });
    environment.hooks.store.fault = ({ operation }) => (operation.startsWith("deliveries") ? "down" : "none");
    environment.answers(() => 503);
    await environment.until(() => environment.received.length === 1);
    await environment.time.advance(2_000);
    expect(process.running.readiness().reasons.join()).toContain("parked.insert is tried again");
    const fromMs = environment.time.nowMs();
    await process.stop();
    expect(environment.time.nowMs() - fromMs).toBeLessThan(9_000);
    environment.hooks.store.fault = () => "none";
    environment.answers(() => 202);
    await environment.start();
    await environment.until(() => environment.ended().length === 1);
  });
});

function gapsBetween(times: readonly number[]): number[] {
  return times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
}
