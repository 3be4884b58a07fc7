// Faults 3 and 4 around a pause, a redrive and a resume: the process ends at every port call, before and after its
// effect, and a second process continues.

import { topics } from "@sluice/contracts";
import { describe, expect, it } from "vitest";
import {
  createDispatcherEnvironment,
  dispatchMessageId,
  buildStop,
  dispatchUetr,
  type DispatcherEnvironment,
} from "../dispatcher.fixture.ts";

type Crash = { readonly call: number; readonly side: "before" | "after" } | null;
type Until = "paused" | "resumed";

const buildRedrive = (number: number) => ({
  messageIdentification: dispatchMessageId(number),
  uetr: dispatchUetr(number),
  deliveryKey: dispatchUetr(number),
});

/**
 * Message 1 fails before the pause; 2 comes during it; 3 is refused, and redriven during the pause; 4 is refused,
 * redriven before the pause, and refused again; 5 is stopped during the pause. The process that may crash is the second
 * one; it lives until the bank is paused or resumed.
 */
async function play(
  crash: Crash,
  until: Until,
): Promise<{ environment: DispatcherEnvironment; calls: number; pausedFromMs: number; toMs: number }> {
  const environment = createDispatcherEnvironment({ seed: 2 });
  environment.answers(({ id, attempt }) => {
    if (id === dispatchMessageId(3) && attempt === 1) return 422;
    if (id === dispatchMessageId(4)) return 422;
    return id === dispatchMessageId(1) && attempt < 3 ? 503 : 202;
  });
  const zeroth = await environment.start();
  await environment.dispatch(...[1, 3, 4].map((number) => ({ messageIdentification: dispatchMessageId(number) })));
  await environment.until(() => environment.ended().length === 2);
  await zeroth.stop();
  const first = await environment.start(crash);
  let calls = 0;
  const goOver = async (): Promise<void> => {
    calls = first.calls();
    if (crash === null) return;
    first.kill();
    await environment.start();
  };
  await environment.redrive(buildRedrive(4));
  await environment.time.advance(100);
  await environment.pause();
  await environment.time.advance(1_000);
  const pausedFromMs = environment.time.nowMs();
  await environment.dispatch({ messageIdentification: dispatchMessageId(2) }, { messageIdentification: dispatchMessageId(5) });
  await environment.redrive(buildRedrive(3));
  await environment.stop(buildStop(5));
  await environment.time.advance(2_000);
  if (until === "paused") await goOver();
  // A session that ended without notice is detected after 6 s.
  await environment.time.advance(10_000);
  const toMs = environment.time.nowMs();
  await environment.resume();
  await environment.time.advance(2_000);
  if (until === "resumed") await goOver();
  await environment.until(() => isDone(environment), 60_000);
  await environment.time.advance(10_000);
  return { environment, calls, pausedFromMs, toMs };
}

const facts = (environment: DispatcherEnvironment): string[] =>
  environment.ended().map(({ messageIdentification, outcome }) => `${messageIdentification} ${outcome}`);

function isDone(environment: DispatcherEnvironment): boolean {
  const recorded = new Set(facts(environment));
  return (
    [1, 2, 3].every((number) => recorded.has(`${dispatchMessageId(number)} ACKNOWLEDGED`)) &&
    recorded.has(`${dispatchMessageId(5)} STOPPED`) &&
    recorded.has(`${dispatchMessageId(4)} REFUSED`) &&
    environment.attemptsOf(dispatchMessageId(4)).length > 1
  );
}

async function check({ environment, pausedFromMs, toMs }: Awaited<ReturnType<typeof play>>): Promise<void> {
  expect(environment.received.filter(({ atMs }) => atMs >= pausedFromMs && atMs < toMs).map(({ id }) => id)).toEqual([]);
  expect(environment.attemptsOf(dispatchMessageId(5))).toEqual([]);
  expect((await environment.parked("deliveries")).map(({ id, ended }) => [id, ended])).toEqual([[dispatchMessageId(4), "refused"]]);
  for (const { id, body } of environment.received) expect(body).toBe(`{"id":"${id}","value":1250.50}`);
  // Each redrive is one attempt; a process that died during it repeats it.
  expect(environment.attemptsOf(dispatchMessageId(4)).length).toBeLessThanOrEqual(3);
  expect(environment.ended().filter(({ outcome, isReceiverPaused }) => outcome === "STOPPED" && !isReceiverPaused)).toEqual([]);
  const attempts = environment.received.length;
  await environment.time.advance(20_000);
  expect(environment.received).toHaveLength(attempts);
  expect((await environment.during(environment.store.partitions.list("dispatcher")))[0]).toMatchObject({
    position: environment.broker.records({ topic: topics.dispatch, partition: 0 }).at(-1)!.offset + 1n,
    state: { pauses: ["BankPaused", "BankResumed"].map((kind) => ({ marker: { kind, bank: "first", number: 1 } })) },
  });
}

describe("a crash around a pause and a redrive", () => {
  it.each(["paused", "resumed"] as const)(
    "I3, I4: at every port call until it is %s, no attempt while it is paused, each redrive once, nothing lost",
    { timeout: 60_000 },
    async (until) => {
      const { calls, ...played } = await play(null, until);
      await check({ calls, ...played });
      expect(played.environment.attemptsOf(dispatchMessageId(4))).toHaveLength(2);
      expect(calls).toBeGreaterThan(15);
      const broken: string[] = [];
      for (let call = 1; call <= calls; call += 1) {
        for (const side of ["before", "after"] as const) {
          await play({ call, side }, until)
            .then(check)
            .catch((error: unknown) => broken.push(`crash ${side} call ${call} of ${calls}: ${String(error)}`));
        }
      }
      expect(broken).toEqual([]);
    },
  );
});
