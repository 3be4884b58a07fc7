// Whether a message may have been taken: the evidence that decides between "failed" and "unknown" for a refused credit.

import { groups, topics } from "@sluice/contracts";
import { deliverySerde, deliveryStartMs, type ScriptedAnswer } from "@sluice/delivery/delivery-environment";
import { sampleBank, seededRandom } from "@sluice/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildCreditDispatch, createDispatcherEnvironment, dispatchMessageId, type DispatcherEnvironment } from "../dispatcher.fixture.ts";

const minuteMs = 60_000;
const stopsAtMs = deliveryStartMs + 24 * 60 * minuteMs;

/** Lets a bank answer in this order; the last answer repeats. */
async function refusedAfter(replies: readonly ScriptedAnswer[]) {
  const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", duplicateCodes: [409] })] });
  await environment.start();
  environment.answers(({ attempt }) => replies[Math.min(attempt, replies.length) - 1] ?? 422);
  await environment.dispatch(buildCreditDispatch(1, stopsAtMs));
  await environment.until(() => environment.ended().length === 1, 24 * 60 * minuteMs);
  return environment;
}

/** Lists the refusals that say that the message was not taken, with their times. */
function certainRefusals(environment: DispatcherEnvironment): { id: string; atMs: number }[] {
  return [0, 1].flatMap((partition) =>
    environment.broker.records({ topic: topics.journal, partition }).flatMap(({ value, appendedAtMs }) => {
      const decoded = value === null ? null : deliverySerde.decode(value);
      if (decoded?.name !== "DeliveryEnded") return [];
      const { messageIdentification, outcome, mayHaveBeenTaken } = decoded.value;
      return outcome === "REFUSED" && !mayHaveBeenTaken ? [{ id: messageIdentification, atMs: appendedAtMs }] : [];
    }),
  );
}

function withFaults(environment: DispatcherEnvironment, seed: number, share: number): void {
  const random = seededRandom(`faults ${seed}`);
  const draw = <T>(faults: readonly T[], none: T): T =>
    random.fraction() < share ? (faults[Math.floor(random.fraction() * faults.length)] ?? none) : none;
  environment.hooks.store.fault = () => draw(["down", "slow", "ambiguous", "torn"] as const, "none");
  environment.hooks.log.produce = (client) =>
    client === "test" ? { kind: "append" } : { kind: draw(["refuse", "lose-answer", "lose-request", "unknown"] as const, "append") };
}

describe("evidence of a refusal", { timeout: 30_000 }, () => {
  it.each([
    ["at once", [422], false],
    ["after a 404", [404, 422], false],
    ["after 429 and 408", [429, 408, 422], false],
    ["after a redirect", [307, 422], false],
    ["after a 503", [503, 422], true],
    ["after no response", ["silent", 422], true],
    ["after a 200", [200, 422], true],
    ["after no response and 429", ["silent", 429, 429, 422], true],
    ["by a duplicate code", [409], true],
  ] as const)("%s: a refusal says whether the message may have been taken [D7 DELIVERY_FAILURE]", async (_, replies, expected) => {
    const environment = await refusedAfter(replies);
    expect(environment.ended()).toMatchObject([{ outcome: "REFUSED", attempts: replies.length, mayHaveBeenTaken: expected }]);
  });

  it("is never lost, whatever the bank answers later", async () => {
    const harmless = fc.constantFrom<ScriptedAnswer>(404, 429, 408, 301);
    const open = fc.constantFrom<ScriptedAnswer>(503, 500, "silent", 200, 204);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(harmless, harmless, open), { maxLength: 8 }), async (replies) => {
        const environment = await refusedAfter([...replies, 422]);
        const isOpen = replies.some((reply) => reply === "silent" || (typeof reply === "number" && (reply >= 500 || reply < 300)));
        expect(environment.ended()).toMatchObject([{ outcome: "REFUSED", attempts: replies.length + 1, mayHaveBeenTaken: isOpen }]);
      }),
      { numRuns: 40, seed: 20261121 },
    );
  });

  it("I3: a refusal says 'not taken' only if no earlier attempt left it open and none follows, whatever fails and whenever processes end", async () => {
    const said = { certain: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.array(fc.constantFrom<ScriptedAnswer>(422, 400, 429, 404, 503, 202, "silent", { status: 422, afterMs: 3_000 }), {
          minLength: 3,
          maxLength: 30,
        }),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 8_000 }), fc.constantFrom("kill", "stop", "join", "rebalance", "cut")), {
          maxLength: 3,
        }),
        fc.constantFrom(0, 0, 0.1, 0.3),
        async (seed, replies, ends, faultShare) => {
          const environment = createDispatcherEnvironment({ seed, partitionCount: 2 });
          let requests = 0;
          environment.answers(() => replies[requests++] ?? (requests % 2 === 0 ? 422 : 202));
          let process = await environment.start();
          await environment.dispatch(...[1, 2, 3, 4, 5, 6].map((number) => buildCreditDispatch(number, stopsAtMs)));
          withFaults(environment, seed, faultShare);
          for (const [afterMs, end] of ends) {
            await environment.time.advance(afterMs);
            if (end === "rebalance") environment.broker.rebalance(groups.dispatcher);
            else if (end === "cut") process.client.cut(9_000);
            else {
              if (end === "kill") process.kill();
              if (end === "stop") await process.stop();
              process = await environment.start();
            }
          }
          withFaults(environment, seed, 0);
          await environment.until(() => environment.endedIds().size === 6, 24 * 60 * minuteMs);
          await environment.time.advance(10 * minuteMs);
          for (const { id, atMs } of certainRefusals(environment)) {
            said.certain += 1;
            const attempts = environment.attemptsOf(id);
            expect(attempts.filter(({ status }) => status === null || status >= 500 || status < 300)).toEqual([]);
            expect(attempts.filter((attempt) => attempt.atMs > atMs)).toEqual([]);
          }
        },
      ),
      { numRuns: 60, seed: 20261121 },
    );
    expect(said.certain).toBeGreaterThan(30);
  });

  it("survives a restart", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    environment.answers(() => 503);
    await environment.dispatch(buildCreditDispatch(1, stopsAtMs));
    await environment.until(() => environment.received.length === 2);
    await environment.time.advance(10);
    await first.stop();
    expect(await environment.parked("deliveries")).toMatchObject([{ mayHaveBeenTaken: true }]);
    environment.answers(() => 422);
    await environment.start();
    await environment.until(() => environment.ended().length === 1);
    expect(environment.ended()).toMatchObject([{ outcome: "REFUSED", mayHaveBeenTaken: true }]);
  });

  it("is left open by a process that ended between its attempt and the answer, though nothing was written", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    environment.answers(() => ({ status: 202, afterMs: 4_000 }));
    await environment.dispatch(buildCreditDispatch(1, stopsAtMs));
    await environment.until(() => environment.received.length === 1);
    first.kill();
    environment.answers(() => 422);
    await environment.start();
    await environment.until(() => environment.ended().length === 1);
    expect(environment.ended()).toMatchObject([{ outcome: "REFUSED", attempts: 1, mayHaveBeenTaken: true }]);
    expect(environment.attemptsOf(dispatchMessageId(1, "C"))).toHaveLength(2);
  });

  it("is left open also if that attempt was on a parked message", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    environment.answers(({ attempt }) => (attempt === 1 ? 429 : { status: 202, afterMs: 4_000 }));
    await environment.dispatch(buildCreditDispatch(1, stopsAtMs));
    await environment.until(() => environment.received.length === 2);
    first.kill();
    expect(await environment.parked("deliveries")).toMatchObject([{ attempts: 1, mayHaveBeenTaken: false }]);
    environment.answers(() => 422);
    await environment.start();
    await environment.until(() => environment.ended().length === 1);
    expect(environment.ended()).toMatchObject([{ outcome: "REFUSED", attempts: 2, mayHaveBeenTaken: true }]);
  });
});
