// A partition moves to another process while attempts on parked messages are under way.

import { expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId, type DispatcherEnvironment } from "../dispatcher.fixture.ts";

const seeds = [1, 2, 3, 4, 5];
const numbers = [1, 2, 3, 4];
/** Milliseconds: longer than a new message keeps its partition waiting, and within the two seconds of D10.40. */
const slowMs = 1_700;

async function dispatchAll(environment: DispatcherEnvironment): Promise<void> {
  await environment.dispatch(...numbers.map((number) => ({ messageIdentification: dispatchMessageId(number) })));
}

function attempts(environment: DispatcherEnvironment): readonly number[] {
  return numbers.map((number) => environment.attemptsOf(dispatchMessageId(number)).length);
}

async function untilEnded(environment: DispatcherEnvironment): Promise<void> {
  await environment.until(() => environment.endedIds().size === numbers.length, 60_000);
  // What another owner sends again comes when the attempt under way must be over.
  await environment.time.advance(60_000);
}

it.each(seeds)(
  "I3: a slow answer that comes after its message was parked counts, although another process joins; seed %d [D10.40]",
  async (seed) => {
    const environment = createDispatcherEnvironment({ partitionCount: 2, seed });
    await environment.start();
    environment.answers(() => ({ status: 202, afterMs: slowMs }));
    await dispatchAll(environment);
    await environment.until(() => environment.received.length === numbers.length);
    await environment.start();
    await untilEnded(environment);
    expect(attempts(environment)).toEqual([1, 1, 1, 1]);
  },
);

it.each(seeds)("I3: the answer to a retry counts, although another process joins meanwhile; seed %d [D10.40]", async (seed) => {
  const environment = createDispatcherEnvironment({ partitionCount: 2, seed });
  await environment.start();
  environment.answers(({ attempt }) => (attempt === 1 ? 503 : { status: 202, afterMs: slowMs }));
  await dispatchAll(environment);
  await environment.until(() => environment.received.length === numbers.length + 1);
  await environment.start();
  await untilEnded(environment);
  expect(attempts(environment)).toEqual([2, 2, 2, 2]);
});

it.each(seeds)("I3: a process that stops waits for the answer to a retry, although another one joins; seed %d [D10.40]", async (seed) => {
  const environment = createDispatcherEnvironment({ partitionCount: 2, seed });
  const first = await environment.start();
  environment.answers(({ attempt }) => (attempt === 1 ? 503 : { status: 202, afterMs: slowMs }));
  await dispatchAll(environment);
  await environment.until(() => environment.received.length === numbers.length + 1);
  const stopping = first.running.stop();
  await environment.start();
  await environment.during(stopping);
  await untilEnded(environment);
  expect(attempts(environment)).toEqual([2, 2, 2, 2]);
});

it.each([0, 2_500])(
  "I16: a receiver that does not answer for %d ms keeps one that joins then waiting for three seconds at most",
  async (ageMs) => {
    const environment = createDispatcherEnvironment({ partitionCount: 2 });
    await environment.start();
    environment.answers(() => "silent");
    await dispatchAll(environment);
    await environment.until(() => environment.received.length === numbers.length);
    await environment.time.advance(ageMs);
    const startMs = environment.time.monotonicMs();
    const second = await environment.start();
    await environment.until(() => second.running.readiness().isReady);
    expect(environment.time.monotonicMs() - startMs).toBeLessThan(3_500);
  },
);
