// A bank reports before its 202 is in the journal: the scheduler takes the report as proof, and stops a delivery that
// has ended by then.

import { topics } from "@sluice/contracts";
import { describe, expect, it } from "vitest";
import { buildStop, createDispatcherEnvironment, dispatchMessageId, type DispatcherEnvironment } from "../dispatcher.fixture.ts";

const journeys = 20;

/** Delivers debits that are acknowledged at once, then stops each of them. Returns the store's calls since. */
async function stopAcknowledged(environment: DispatcherEnvironment): Promise<readonly string[]> {
  for (let number = 1; number <= journeys; number += 1)
    await environment.dispatch({ messageIdentification: dispatchMessageId(number, "D") });
  await environment.until(() => environment.endedIds().size === journeys);
  await environment.time.advance(1_000);
  const calls: string[] = [];
  environment.hooks.store.observe = ({ operation }) => void calls.push(operation);
  for (let number = 1; number <= journeys; number += 1) await environment.stop(buildStop(number, "D"));
  await environment.time.advance(1_000);
  return calls;
}

describe("a stop of a delivery that this owner has reported as acknowledged", () => {
  it("appends nothing and reads nothing: the journal has its answer", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    const calls = await stopAcknowledged(environment);
    expect(environment.ended().map(({ outcome }) => outcome)).toEqual(Array.from({ length: journeys }, () => "ACKNOWLEDGED"));
    expect(environment.receipts()).toHaveLength(journeys);
    expect(calls.filter((operation) => operation.startsWith("deliveries"))).toEqual([]);
    const [document] = await environment.during(environment.store.partitions.list("dispatcher"));
    expect(document?.position).toBe(BigInt(environment.broker.records({ topic: topics.dispatch, partition: 0 }).length));
  });

  it("is answered by the next owner, which does not know of the acknowledgement", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    await environment.dispatch({ messageIdentification: dispatchMessageId(1, "D") });
    await environment.until(() => environment.ended().length === 1);
    await environment.time.advance(1_000);
    await first.stop();
    await environment.start();
    await environment.stop(buildStop(1, "D"));
    await environment.until(() => environment.ended().length === 2);
    expect(environment.ended()[1]).toMatchObject({ outcome: "STOPPED", mayHaveBeenTaken: true });
  });

  it("I5: ends the message if a replay of the scheduler has dispatched it again and it is parked", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    await environment.dispatch({ messageIdentification: dispatchMessageId(1, "D") });
    await environment.until(() => environment.ended().length === 1);
    environment.answers(() => 503);
    await environment.dispatch({ messageIdentification: dispatchMessageId(1, "D") });
    await environment.until(() => environment.received.length === 2);
    await environment.time.advance(50);
    expect(await environment.parked("deliveries")).toHaveLength(1);
    await environment.stop(buildStop(1, "D"));
    await environment.until(() => environment.ended().length === 2);
    await environment.time.advance(60_000);
    expect(environment.ended()[1]).toMatchObject({ outcome: "STOPPED" });
    expect(await environment.parked("deliveries")).toEqual([]);
  });
});
