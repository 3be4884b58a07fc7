import { createMetrics } from "@sluice/service";
import { sampleBank } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId } from "../dispatcher.fixture.ts";

/** Runs a dispatcher with so many banks, of which each got a message and the first ones have trouble. */
async function scrapeLines(bankCount: number): Promise<number> {
  const metrics = createMetrics({ withProcess: false });
  const ids = Array.from({ length: bankCount }, (_, index) => `bank-${index}`);
  const banks = ids.map((id, index) => sampleBank({ id, branch: String(250_000 + index) }));
  const environment = createDispatcherEnvironment({ banks, metrics, partitionCount: 2 });
  await environment.start();
  environment.answers(({ receiverId }) => (ids.indexOf(receiverId) < 5 ? 503 : 202));
  await environment.dispatch(...ids.map((bank, index) => ({ messageIdentification: dispatchMessageId(index), bank })));
  await environment.until(() => environment.endedIds().size === bankCount - 5, 60_000);
  await environment.time.advance(1_000);
  return (await metrics.text()).split("\n").length;
}

test("I15: a scrape of a dispatcher has the same number of lines with ten and with 1,000 banks that got messages", async () => {
  expect(await scrapeLines(1_000)).toBe(await scrapeLines(10));
}, 60_000);
