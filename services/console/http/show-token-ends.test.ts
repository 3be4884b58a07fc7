import { createMetrics } from "@sluice/service";
import { createVirtualTime, sampleBank, sampleConfiguration, sampleHeldToken, sampleOperator } from "@sluice/testkit";
import { expect, test } from "vitest";
import { showTokenEnds } from "./show-token-ends.ts";

const dayMs = 86_400_000;

test("the tokens of all callers that end first are shown with their ends, and one that ended long ago is not [D10.87]", async () => {
  const startAtMs = 100 * dayMs;
  const time = createVirtualTime({ startAtMs });
  const metrics = createMetrics({ withProcess: false });
  const endsIn = (text: string, days: number) => ({ ...sampleHeldToken(text, startAtMs + days * dayMs), id: text });
  const many = Array.from({ length: 60 }, (_, index) => endsIn(`late-${index}`, 1_000 + index));
  const configuration = sampleConfiguration({
    banks: [sampleBank({ id: "first", tokens: [sampleHeldToken("endless"), endsIn("soon", 3), endsIn("ended", -3)] })],
    operators: [sampleOperator({ id: "thandi", tokens: [endsIn("forgotten", -8), endsIn("later", 300), ...many] })],
  });
  showTokenEnds({ time, metrics, configuration });
  const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("sluice_console_token_ends_timestamp_seconds{"));
  expect(lines).toHaveLength(50);
  expect(lines.slice(0, 3)).toEqual([
    `sluice_console_token_ends_timestamp_seconds{caller="first",token="ended"} ${(97 * dayMs) / 1_000}`,
    `sluice_console_token_ends_timestamp_seconds{caller="first",token="soon"} ${(103 * dayMs) / 1_000}`,
    `sluice_console_token_ends_timestamp_seconds{caller="thandi",token="later"} ${(400 * dayMs) / 1_000}`,
  ]);
});
