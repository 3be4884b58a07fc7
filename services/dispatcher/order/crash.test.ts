// Faults 3 and 4: the process ends at every port call, before and after its effect, and a second process continues.

import { topics, type AnyDecodedRecord } from "@sluice/contracts";
import { deliverySerde } from "@sluice/delivery/delivery-environment";
import { describe, expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId, buildStop, type DispatcherEnvironment } from "../dispatcher.fixture.ts";

const letters = ["A", "D"] as const;
const acknowledgedIds = [dispatchMessageId(1), dispatchMessageId(1, "D"), dispatchMessageId(2), dispatchMessageId(2, "D")];

/**
 * Two keys of two messages (the first of key 1 is acknowledged at the second attempt, all else at once), one refused
 * for good, one that is never answered and is stopped.
 */
async function play(
  crash: { readonly call: number; readonly side: "before" | "after" } | null,
): Promise<{ environment: DispatcherEnvironment; calls: number }> {
  const environment = createDispatcherEnvironment({ seed: 3 });
  environment.answers(({ id, attempt }) => {
    if (id === dispatchMessageId(3)) return 422;
    if (id === dispatchMessageId(4)) return 503;
    return id === dispatchMessageId(1) && attempt === 1 ? 503 : 202;
  });
  let calls = 0;
  const first = await environment.start(crash);
  for (const letter of letters)
    await environment.dispatch(
      { messageIdentification: dispatchMessageId(1, letter) },
      { messageIdentification: dispatchMessageId(2, letter) },
    );
  await environment.dispatch({ messageIdentification: dispatchMessageId(3) }, { messageIdentification: dispatchMessageId(4) });
  await environment.time.advance(3_000);
  await environment.stop(buildStop(4));
  await environment.time.advance(3_000);
  calls = first.calls();
  if (crash !== null) {
    first.kill();
    await environment.start();
  }
  await environment.until(() => isDone(environment), 120_000);
  // A session that ended without notice is detected after 6 s; then unfinished work is completed.
  await environment.time.advance(20_000);
  return { environment, calls };
}

function isDone(environment: DispatcherEnvironment): boolean {
  const facts = environment.ended().map(({ messageIdentification, outcome }) => `${messageIdentification} ${outcome}`);
  return [...acknowledgedIds.map((id) => `${id} ACKNOWLEDGED`), `${dispatchMessageId(3)} REFUSED`, `${dispatchMessageId(4)} STOPPED`].every(
    (fact) => facts.includes(fact),
  );
}

async function check(environment: DispatcherEnvironment): Promise<void> {
  // I1: only messages that wait for a change are left.
  expect((await environment.parked("deliveries")).map(({ id, ended }) => [id, ended])).toEqual([[dispatchMessageId(3), "refused"]]);
  // I3: the same bytes whenever it is sent.
  for (const { id, body } of environment.received) expect(body).toBe(`{"id":"${id}","value":1250.50}`);
  // I4: first attempts in order, each after the end of the one before.
  for (const number of [1, 2]) {
    const firstOfNext = environment.received.findIndex(({ id }) => id === dispatchMessageId(number, "D"));
    expect(environment.received.findIndex(({ id, status }) => id === dispatchMessageId(number, "A") && status === 202)).toBeLessThan(
      firstOfNext,
    );
  }
  // A refusal is appended after the last attempt: no attempt follows it.
  const saidAtMs = environment.broker
    .records({ topic: topics.journal, partition: 0 })
    .find(({ value }) => value !== null && isRefusal(deliverySerde.decode(value)))?.appendedAtMs;
  expect(environment.attemptsOf(dispatchMessageId(3)).filter(({ atMs }) => atMs > (saidAtMs ?? 0))).toEqual([]);
  // Each end that is a fact has its receipt.
  const receipts = new Set(environment.receipts().map(({ webhookId, outcome }) => `${webhookId} ${outcome}`));
  const facts = environment.ended().filter(({ outcome }) => outcome !== "STOPPED");
  expect(facts.filter(({ messageIdentification, outcome }) => !receipts.has(`${messageIdentification} ${outcome}`))).toEqual([]);
  // The last process has written its progress: a third one finds nothing to do.
  const attempts = environment.received.length;
  await environment.time.advance(120_000);
  expect(environment.received).toHaveLength(attempts);
  expect((await environment.during(environment.store.partitions.list("dispatcher")))[0]?.position).toBe(
    environment.broker.records({ topic: topics.dispatch, partition: 0 }).at(-1)!.offset + 1n,
  );
}

function isRefusal(decoded: AnyDecodedRecord): boolean {
  return decoded.name === "DeliveryEnded" && decoded.value.outcome === "REFUSED";
}

describe("a crash at every boundary", () => {
  it("I1, I3, I4: without a crash every delivery ends as expected", async () => {
    const { environment, calls } = await play(null);
    await check(environment);
    expect(calls).toBeGreaterThan(30);
  });

  it("I1, I3, I4: before and after every port call, nothing is lost, reordered or changed", { timeout: 60_000 }, async () => {
    const { calls } = await play(null);
    const broken: string[] = [];
    for (let call = 1; call <= calls; call += 1) {
      for (const side of ["before", "after"] as const) {
        const { environment } = await play({ call, side });
        await check(environment).catch((error: unknown) => broken.push(`crash ${side} call ${call} of ${calls}: ${String(error)}`));
      }
    }
    expect(broken).toEqual([]);
  });
});

describe("an end that is not acknowledged yet", () => {
  it("I1: moves neither the position past its record nor removes the parked message before the broker acknowledges it", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    let isJournalUp = true;
    environment.hooks.log.produce = (client, batch) =>
      isJournalUp || client === "test" || batch.every(({ topic }) => topic !== topics.journal)
        ? { kind: "append" }
        : { kind: "lose-request" };
    environment.answers(({ id, attempt }) => (id === dispatchMessageId(1) && attempt === 1 ? 503 : 202));
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) });
    await environment.until(() => environment.received.length === 1);
    isJournalUp = false;
    await environment.dispatch({ messageIdentification: dispatchMessageId(2) }, { messageIdentification: dispatchMessageId(3) });
    await environment.until(() => environment.received.filter(({ status }) => status === 202).length === 3);
    await environment.time.advance(5_000);
    expect((await environment.parked("deliveries")).map(({ id }) => id)).toEqual([dispatchMessageId(1)]);
    expect((await environment.during(environment.store.partitions.list("dispatcher")))[0]?.position).toBe(1n);
    first.kill();
    isJournalUp = true;
    await environment.start();
    await environment.until(() => environment.endedIds().size === 3, 60_000);
  });

  it("I3: a record that is read again after its message was parked is done: the message is not tried out of order", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    environment.answers(() => 422);
    await environment.dispatch({});
    await environment.until(() => environment.ended().length === 1);
    await environment.time.advance(20);
    expect(await environment.parked("deliveries")).toHaveLength(1);
    first.kill();
    expect((await environment.during(environment.store.partitions.list("dispatcher")))[0]?.position).toBe(0n);
    await environment.start();
    await environment.time.advance(60_000);
    expect(environment.received).toHaveLength(1);
    expect((await environment.during(environment.store.partitions.list("dispatcher")))[0]?.position).toBe(1n);
  });
});
