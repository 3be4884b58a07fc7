// How long receivers took to acknowledge, from the receipts of what ended.

import { controlAnswers, createFixedSerde, outgoingRecord, topics, type Records } from "@sluice/contracts";
import { expect, test } from "vitest";
import { consoleStartAtMs, consoleUetr } from "../console.fixture.ts";
import { openDecisionEnvironment } from "../decisions/decisions.fixture.ts";
import { readControlAnswer } from "../queries/stored-data.fixture.ts";
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
