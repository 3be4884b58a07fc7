// Whether a message may have been taken: what decides between "it failed" and "nobody knows" for a credit that is refused.

import { groups, topics } from "@sluice/contracts";
import { serde, startAtMs, type Reply } from "@sluice/delivery/delivery-world";
import { sampleBank, seededRandom } from "@sluice/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { credit, dispatcherWorld, messageId, type DispatcherWorld } from "./dispatcher.fixture.ts";

const minuteMs = 60_000;
const stopsAtMs = startAtMs + 24 * 60 * minuteMs;

/** Answers in turn; the last one for ever. */
async function refusedAfter(replies: readonly Reply[]) {
  const world = dispatcherWorld({ banks: [sampleBank({ id: "first", duplicateCodes: [409] })] });
  await world.start();
  world.answers(({ attempt }) => replies[Math.min(attempt, replies.length) - 1] ?? 422);
  await world.dispatch(credit(1, stopsAtMs));
  await world.until(() => world.ended().length === 1, 24 * 60 * minuteMs);
  return world;
}

/** Those that say that the message was not taken, and when. */
function certainRefusals(world: DispatcherWorld): { id: string; atMs: number }[] {
  return [0, 1].flatMap((partition) =>
    world.log.records({ topic: topics.journal, partition }).flatMap(({ value, appendedAtMs }) => {
      const decoded = value === null ? null : serde.decode(value);
      if (decoded?.name !== "DeliveryEnded") return [];
      const { messageIdentification, outcome, mayHaveBeenTaken } = decoded.value;
      return outcome === "REFUSED" && !mayHaveBeenTaken ? [{ id: messageIdentification, atMs: appendedAtMs }] : [];
    }),
  );
}

function withFaults(world: DispatcherWorld, seed: number, share: number): void {
  const random = seededRandom(`faults ${seed}`);
  const draw = <T>(faults: readonly T[], none: T): T =>
    random.fraction() < share ? (faults[Math.floor(random.fraction() * faults.length)] ?? none) : none;
  world.hooks.store.fault = () => draw(["down", "slow", "ambiguous", "torn"] as const, "none");
  world.hooks.log.produce = (client) =>
    client === "test" ? { kind: "append" } : { kind: draw(["refuse", "lose-answer", "lose-request", "unknown"] as const, "append") };
}

describe("evidence of a refusal", { timeout: 30_000 }, () => {
  it.each([
    ["at once", [422], false],
    ["after a 404", [404, 422], false],
    ["after 429 and 408", [429, 408, 422], false],
    ["after a redirect", [307, 422], false],
    ["after a 503", [503, 422], true],
    ["after silence", ["silent", 422], true],
    ["after a 200", [200, 422], true],
    ["after silence and 429", ["silent", 429, 429, 422], true],
    ["by a code that means seen before", [409], true],
  ] as const)("%s: whether the message may have been taken is said with it [D7 DELIVERY_FAILURE]", async (_, replies, expected) => {
    const world = await refusedAfter(replies);
    expect(world.ended()).toMatchObject([{ outcome: "REFUSED", attempts: replies.length, mayHaveBeenTaken: expected }]);
  });

  it("is never forgotten, whatever is answered later", async () => {
    const harmless = fc.constantFrom<Reply>(404, 429, 408, 301);
    const open = fc.constantFrom<Reply>(503, 500, "silent", 200, 204);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(harmless, harmless, open), { maxLength: 8 }), async (replies) => {
        const world = await refusedAfter([...replies, 422]);
        const isOpen = replies.some((reply) => reply === "silent" || (typeof reply === "number" && (reply >= 500 || reply < 300)));
        expect(world.ended()).toMatchObject([{ outcome: "REFUSED", attempts: replies.length + 1, mayHaveBeenTaken: isOpen }]);
      }),
      { numRuns: 40, seed: 20261121 },
    );
  });

  it("I3: 'not taken' is said only where no attempt before left it open and none comes after, whatever fails and whenever processes end", async () => {
    const said = { certain: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.array(fc.constantFrom<Reply>(422, 400, 429, 404, 503, 202, "silent", { status: 422, afterMs: 3_000 }), {
          minLength: 3,
          maxLength: 30,
        }),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 8_000 }), fc.constantFrom("kill", "stop", "join", "rebalance", "cut")), {
          maxLength: 3,
        }),
        fc.constantFrom(0, 0, 0.1, 0.3),
        async (seed, replies, ends, faultShare) => {
          const world = dispatcherWorld({ seed, lanes: 2 });
          let requests = 0;
          world.answers(() => replies[requests++] ?? (requests % 2 === 0 ? 422 : 202));
          let process = await world.start();
          await world.dispatch(...[1, 2, 3, 4, 5, 6].map((number) => credit(number, stopsAtMs)));
          withFaults(world, seed, faultShare);
          for (const [afterMs, end] of ends) {
            await world.time.advance(afterMs);
            if (end === "rebalance") world.log.rebalance(groups.dispatcher);
            else if (end === "cut") process.client.cut(9_000);
            else {
              if (end === "kill") process.kill();
              if (end === "stop") await process.stop();
              process = await world.start();
            }
          }
          withFaults(world, seed, 0);
          await world.until(() => world.endedIds().size === 6, 24 * 60 * minuteMs);
          await world.time.advance(10 * minuteMs);
          for (const { id, atMs } of certainRefusals(world)) {
            said.certain += 1;
            const attempts = world.attemptsOf(id);
            expect(attempts.filter(({ status }) => status === null || status >= 500 || status < 300)).toEqual([]);
            expect(attempts.filter((attempt) => attempt.atMs > atMs)).toEqual([]);
          }
        },
      ),
      { numRuns: 60, seed: 20261121 },
    );
    expect(said.certain).toBeGreaterThan(30);
  });

  it("is kept over a restart", async () => {
    const world = dispatcherWorld();
    const first = await world.start();
    world.answers(() => 503);
    await world.dispatch(credit(1, stopsAtMs));
    await world.until(() => world.received.length === 2);
    await world.time.advance(10);
    await first.stop();
    expect(await world.parked("deliveries")).toMatchObject([{ mayHaveBeenTaken: true }]);
    world.answers(() => 422);
    await world.start();
    await world.until(() => world.ended().length === 1);
    expect(world.ended()).toMatchObject([{ outcome: "REFUSED", mayHaveBeenTaken: true }]);
  });

  it("a process that ended between its attempt and the answer leaves it open, though nothing of it was written down", async () => {
    const world = dispatcherWorld();
    const first = await world.start();
    world.answers(() => ({ status: 202, afterMs: 4_000 }));
    await world.dispatch(credit(1, stopsAtMs));
    await world.until(() => world.received.length === 1);
    first.kill();
    world.answers(() => 422);
    await world.start();
    await world.until(() => world.ended().length === 1);
    expect(world.ended()).toMatchObject([{ outcome: "REFUSED", attempts: 1, mayHaveBeenTaken: true }]);
    expect(world.attemptsOf(messageId(1, "C"))).toHaveLength(2);
  });

  it("the same where the attempt was one on a parked message", async () => {
    const world = dispatcherWorld();
    const first = await world.start();
    world.answers(({ attempt }) => (attempt === 1 ? 429 : { status: 202, afterMs: 4_000 }));
    await world.dispatch(credit(1, stopsAtMs));
    await world.until(() => world.received.length === 2);
    first.kill();
    expect(await world.parked("deliveries")).toMatchObject([{ attempts: 1, mayHaveBeenTaken: false }]);
    world.answers(() => 422);
    await world.start();
    await world.until(() => world.ended().length === 1);
    expect(world.ended()).toMatchObject([{ outcome: "REFUSED", attempts: 2, mayHaveBeenTaken: true }]);
  });
});
