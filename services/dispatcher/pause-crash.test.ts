// Faults 3 and 4 around a pause, a redrive and a resume: the process ends at every port call, before it has its effect and after it, and
// a second process goes on.

import { topics } from "@sluice/contracts";
import { describe, expect, it } from "vitest";
import { dispatcherWorld, messageId, stopOf, uetr, type DispatcherWorld } from "./dispatcher.fixture.ts";

type Crash = { readonly call: number; readonly side: "before" | "after" } | null;
type Until = "paused" | "resumed";

const redriveOf = (number: number) => ({ messageIdentification: messageId(number), uetr: uetr(number), deliveryKey: uetr(number) });

/**
 * Message 1 fails and is paused over; 2 comes while the bank is paused; 3 is refused, and redriven while it is paused; 4 is refused, redriven
 * before the pause, and refused again; 5 is stopped while it is paused. The process that may
 * crash is the second one; it lives until the bank is paused or resumed.
 */
async function play(crash: Crash, until: Until): Promise<{ world: DispatcherWorld; calls: number; pausedFromMs: number; toMs: number }> {
  const world = dispatcherWorld({ seed: 5 });
  world.answers(({ id, attempt }) => {
    if (id === messageId(3) && attempt === 1) return 422;
    if (id === messageId(4)) return 422;
    return id === messageId(1) && attempt < 3 ? 503 : 202;
  });
  const zeroth = await world.start();
  await world.dispatch(...[1, 3, 4].map((number) => ({ messageIdentification: messageId(number) })));
  await world.until(() => world.ended().length === 2);
  await zeroth.stop();
  const first = await world.start(crash);
  let calls = 0;
  const goOver = async (): Promise<void> => {
    calls = first.calls();
    if (crash === null) return;
    first.kill();
    await world.start();
  };
  await world.redrive(redriveOf(4));
  await world.time.advance(100);
  await world.pause();
  await world.time.advance(1_000);
  const pausedFromMs = world.time.nowMs();
  await world.dispatch({ messageIdentification: messageId(2) }, { messageIdentification: messageId(5) });
  await world.redrive(redriveOf(3));
  await world.stop(stopOf(5));
  await world.time.advance(2_000);
  if (until === "paused") await goOver();
  // A session that ended without a word is noticed after 6 s.
  await world.time.advance(10_000);
  const toMs = world.time.nowMs();
  await world.resume();
  await world.time.advance(2_000);
  if (until === "resumed") await goOver();
  await world.until(() => isDone(world), 60_000);
  await world.time.advance(10_000);
  return { world, calls, pausedFromMs, toMs };
}

const facts = (world: DispatcherWorld): string[] =>
  world.ended().map(({ messageIdentification, outcome }) => `${messageIdentification} ${outcome}`);

function isDone(world: DispatcherWorld): boolean {
  const told = new Set(facts(world));
  return (
    [1, 2, 3].every((number) => told.has(`${messageId(number)} ACKNOWLEDGED`)) &&
    told.has(`${messageId(5)} STOPPED`) &&
    told.has(`${messageId(4)} REFUSED`) &&
    world.attemptsOf(messageId(4)).length > 1
  );
}

async function check({ world, pausedFromMs, toMs }: Awaited<ReturnType<typeof play>>): Promise<void> {
  expect(world.received.filter(({ atMs }) => atMs >= pausedFromMs && atMs < toMs).map(({ id }) => id)).toEqual([]);
  expect(world.attemptsOf(messageId(5))).toEqual([]);
  expect((await world.parked("deliveries")).map(({ id, ended }) => [id, ended])).toEqual([[messageId(4), "refused"]]);
  for (const { id, body } of world.received) expect(body).toBe(`{"id":"${id}","value":1250.50}`);
  // Each redrive is one attempt; a process that died with one under way makes it again.
  expect(world.attemptsOf(messageId(4)).length).toBeLessThanOrEqual(3);
  expect(world.ended().filter(({ outcome, bankPaused }) => outcome === "STOPPED" && !bankPaused)).toEqual([]);
  const attempts = world.received.length;
  await world.time.advance(20_000);
  expect(world.received).toHaveLength(attempts);
  expect((await world.during(world.store.lanes.list("dispatcher")))[0]).toMatchObject({
    position: world.log.records({ topic: topics.dispatch, partition: 0 }).at(-1)!.offset + 1n,
    state: { pauses: { first: { pauses: 1, resumes: 1 } } },
  });
}

describe("a crash around a pause and a redrive", () => {
  it.each(["paused", "resumed"] as const)(
    "I3, I4: at every port call until it is %s, no attempt while it is paused, each redrive once, nothing lost",
    { timeout: 60_000 },
    async (until) => {
      const { calls, ...played } = await play(null, until);
      await check({ calls, ...played });
      expect(played.world.attemptsOf(messageId(4))).toHaveLength(2);
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
