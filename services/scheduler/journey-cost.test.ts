// Guards what a journey costs the scheduler alone: the memory that its computing takes, which the garbage collector has
// to take back. Requests, records and bytes are guarded in `test/simulation/cost.test.ts`.
//
// #1 What a journey takes varies by a tenth, because the compiler decides when it leaves objects out.
// #2 A change that makes journeys cheaper lowers the number here.

import { expect, test } from "vitest";
import { foldJourneys, recordJourneys } from "./instant-journeys.fixture.ts";

const journeys = 200;
const batchRecords = 20;
const kibibytesMax = 215;

test("a journey takes no more memory than it did", async () => {
  const records = await recordJourneys(journeys);
  for (let round = 0; round < 5; round += 1) await foldJourneys(records, { batchRecords });
  const folded = [await foldJourneys(records, { batchRecords }), await foldJourneys(records, { batchRecords })];
  expect(Math.min(...folded.map(({ sent }) => sent))).toBeGreaterThan(18 * journeys);
  expect(Math.min(...folded.map(({ allocated }) => allocated)) / 1_024 / journeys).toBeLessThan(kibibytesMax);
});
