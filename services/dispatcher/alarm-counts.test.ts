// What the alarms count. An alarm whose counter does not grow never fires, whatever its rule says.

import { createMetrics } from "@sluice/service";
import { expect, test } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId } from "./dispatcher.fixture.ts";

function createCounts() {
  const metrics = createMetrics({ withProcess: false });
  const count = async (series: string): Promise<number | null> => {
    const line = (await metrics.text()).split("\n").find((one) => one.startsWith(`${series} `));
    return line === undefined ? null : Number(line.slice(series.length + 1));
  };
  return { metrics, count };
}

test("the alarms' counters grow with each delivery that is refused, and each report that expires [D3 deadlines]", async () => {
  const { metrics, count } = createCounts();
  const environment = createDispatcherEnvironment({ metrics });
  await environment.start();
  const outcomes = ["acknowledged", "refused", "expired"];
  const counts = async () => await Promise.all(outcomes.map((outcome) => count(`sluice_delivery_ended_total{outcome="${outcome}"}`)));
  expect(await counts()).toEqual([0, 0, 0]);
  const [taken, refused, late] = [1, 2, 3].map((number) => dispatchMessageId(number));
  environment.answers(({ id }) => (id === taken ? 202 : id === refused ? 422 : 503));
  const deadlineMs = environment.time.nowMs() + 30_000;
  await environment.dispatch({ messageIdentification: taken! }, { messageIdentification: refused! });
  await environment.dispatch({ messageIdentification: late!, reconciliationDay: null, deadlineMs });
  await environment.time.advance(60_000);
  expect(await counts()).toEqual([1, 1, 1]);
});

test("I15: the alarm's counter grows when a bound holds records up, and is there before", async () => {
  const { metrics, count } = createCounts();
  const environment = createDispatcherEnvironment({ metrics, bounds: { runningMax: 2 } });
  await environment.start();
  const series = 'sluice_delivery_bounds_reached_total{bound="receiver-share"}';
  expect(await count(series)).toBe(0);
  environment.answers(() => ({ status: 202, afterMs: 900 }));
  await environment.dispatch(...[1, 2, 3, 4, 5].map((number) => ({ messageIdentification: dispatchMessageId(number) })));
  await environment.time.advance(10_000);
  expect(await count(series)).toBeGreaterThan(0);
});
