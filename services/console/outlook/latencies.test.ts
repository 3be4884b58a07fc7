// How long receivers took to acknowledge, from the receipts of what ended.

import { createFixedSerde, outgoingRecord, topics, type Records } from "@sluice/contracts";
import { controlAnswers } from "@sluice/contracts/control-answers";
import { expect, test } from "vitest";
import { consoleStartAtMs, consoleUetr } from "../console.fixture.ts";
import { openDecisionEnvironment } from "../decisions/decisions.fixture.ts";
import { readControlAnswer } from "../queries/stored-data.fixture.ts";
import { openReader } from "../web/browser.fixture.ts";
import { minuteMs } from "./series.ts";

const serde = createFixedSerde();

type Environment = Awaited<ReturnType<typeof openDecisionEnvironment>>;
type Attempt = Records["Receipt"]["recentAttempts"][number];

function attempt(tookMs: number, answer: Attempt["class"] = "ACKNOWLEDGED"): Attempt {
  return { atMs: consoleStartAtMs, httpStatusCode: 202, answer: null, tookMs, address: null, class: answer };
}

/** Appends a receipt for each list of attempts, all of them in one send. */
async function appendReceipts({ messaging, settled }: Environment, bank: string, attempts: readonly (readonly Attempt[])[]): Promise<void> {
  const records = attempts.map((recentAttempts) => {
    const value: Records["Receipt"] = {
      webhookId: "M",
      uetr: consoleUetr,
      bank,
      operation: "inboundDirectDebit",
      stageVersion: null,
      outcome: "ACKNOWLEDGED",
      attempts: recentAttempts.length,
      firstAttemptAtMs: consoleStartAtMs,
      endedAtMs: consoleStartAtMs,
      recentAttempts,
      earlier: null,
      stoppedBy: null,
      confirmedBy: null,
    };
    return outgoingRecord(serde, topics.receipts, consoleUetr, { name: "Receipt", value }, { partitionCount: 3 });
  });
  const producer = await settled(messaging.producer("services"));
  await settled(producer.send(records));
}

test("each minute that is over says how long its acknowledgements took, of all and of one bank", async () => {
  const environment = await openDecisionEnvironment();
  await environment.time.advance(minuteMs);
  await appendReceipts(environment, "first", [[attempt(10)], [attempt(9_000, "TRANSIENT"), attempt(20)], [attempt(30)]]);
  await appendReceipts(environment, "second", [[attempt(400)], [attempt(5, "REFUSED")]]);
  await environment.time.advance(2 * minuteMs);
  const read = async (query: string) => {
    const { points } = controlAnswers.showSeries.parse(await readControlAnswer(environment, `/series${query}`));
    return points.filter(({ medianMs }) => medianMs !== null).map(({ medianMs, slowMs }) => [medianMs, slowMs]);
  };
  expect([await read(""), await read("?bank=first"), await read("?bank=second")]).toEqual([[[30, 400]], [[20, 30]], [[400, 400]]]);
  const { points } = controlAnswers.showSeries.parse(await readControlAnswer(environment, "/series"));
  expect(points.at(-1)).toMatchObject({ medianMs: null, slowMs: null });
});

test("of a partition the newest 200 receipts since the last look are read", async () => {
  const environment = await openDecisionEnvironment();
  await environment.time.advance(minuteMs);
  await appendReceipts(environment, "first", [
    ...Array.from({ length: 50 }, () => [attempt(9_000)]),
    ...Array.from({ length: 200 }, () => [attempt(7)]),
  ]);
  await environment.time.advance(2 * minuteMs);
  const { points } = controlAnswers.showSeries.parse(await readControlAnswer(environment, "/series"));
  expect(points.flatMap(({ slowMs }) => (slowMs === null ? [] : [slowMs]))).toEqual([7]);
});

test("a bank's page, its series and a new console say within how long each of its addresses acknowledged, and since when", async () => {
  const environment = await openDecisionEnvironment();
  const read = async (query: string) => controlAnswers.showSeries.parse(await readControlAnswer(environment, `/series${query}`)).history;
  await environment.time.advance(minuteMs);
  expect(await read("")).toBeNull();
  const before = await read("?bank=first");
  expect([before?.addresses, before?.since === null]).toEqual([[], false]);
  await appendReceipts(environment, "first", [[attempt(9_000, "TRANSIENT"), attempt(20)], [attempt(1_000)]]);
  await environment.time.advance(minuteMs);
  const history = await read("?bank=first");
  const [address] = history?.addresses ?? [];
  expect(address).toMatchObject({ operation: "inboundDirectDebit", service: "dispatcher" });
  expect(address?.url).toMatch(/^https?:/);
  expect(address?.slots.map(({ acknowledged, p50Ms, p99Ms }) => [acknowledged, p50Ms, p99Ms])).toEqual([[2, 22, 1_052]]);
  expect([history?.since, history?.isWhole]).toEqual([before?.since, true]);
  expect((await read("?bank=second"))?.addresses).toEqual([]);
  const reader = openReader(environment);
  await reader.signIn();
  const { text } = await reader.ask("/banks/first");
  for (const words of ["It acknowledged, last 24 hours", "1,052 ms", "This console has watched since", "Nothing limited its addresses."])
    expect(text).toContain(words);
});

test("what limited an address is kept for a day: the fewest requests at once, and how long its breaker was open", async () => {
  const environment = await openDecisionEnvironment();
  await environment.time.advance(minuteMs);
  const { store, settled, time } = environment;
  const shown = controlAnswers.showBank.parse(await readControlAnswer(environment, "/banks/first"));
  const endpoint = shown.status.endpoints.find(({ service }) => service === "dispatcher");
  const health = { service: "dispatcher", receiverId: "first", origin: endpoint?.address ?? "", concurrency: 1 } as const;
  const given = { ...health, retryAfterUntilMs: null, check: null, updatedAtMs: 0, changes: [], checks: [] };
  const breaker = { sinceMs: time.nowMs(), reason: "transient" };
  await settled(store.endpointHealth.write([{ ...given, breaker }]));
  await time.advance(minuteMs);
  await settled(store.endpointHealth.write([{ ...given, concurrency: 100_000, breaker: null }]));
  await time.advance(minuteMs);
  const { history } = controlAnswers.showSeries.parse(await readControlAnswer(environment, "/series?bank=first"));
  const [limits] = history?.limits ?? [];
  expect(limits).toMatchObject({
    service: "dispatcher",
    connections: endpoint?.connections,
    slots: [{ concurrency: 1, retryAfterSeconds: 0 }],
  });
  const open = limits?.slots[0]?.breakerOpenSeconds ?? 0;
  expect([open >= 40, open <= 80]).toEqual([true, true]);
  const reader = openReader(environment);
  await reader.signIn();
  expect((await reader.ask("/banks/first")).text).toContain(`1 of ${endpoint?.connections}`);
});
