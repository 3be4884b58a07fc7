// A restored store repairs itself: a partition starts at the position that it finds there.

import { topics } from "@sluice/contracts";
import { checkConservation, type Store } from "@sluice/store";
import { expect, test } from "vitest";
import { schedulerDay, SchedulerEnvironment } from "../scheduler.fixture.ts";

/** Copies transactions, days, banks, ledgers and partitions of a store. */
async function copyStore(environment: SchedulerEnvironment, from: Store, to: Store): Promise<void> {
  const done = <T>(promise: Promise<T>): Promise<T> => environment.settle(promise);
  for (const partition of await done(from.partitions.list("scheduler"))) {
    const documents = await done(from.builds.documents(partition.partition, partition.build, null, 1_000));
    await done(to.transactions.write(documents.map((document) => ({ document, expectedVersion: 0 }))));
    for (const ledger of await done(from.ledgers.listByPartition(partition.partition))) await done(to.ledgers.write(ledger, 0));
    const { epoch } = await done(to.partitions.takeOver("scheduler", partition.partition));
    await done(to.partitions.write("scheduler", partition.partition, epoch, partition.position, partition.state));
  }
  for (const one of await done(from.days.open())) await done(to.days.write(one, 0));
  for (const one of await done(from.banks.all())) await done(to.banks.write(one, 0));
}

/** Collects identification and bytes of everything that was sent, repeats removed. */
function sent(environment: SchedulerEnvironment): ReadonlySet<string> {
  const events = environment
    .named(topics.events, "TransactionStateEvent")
    .map(({ decoded }) => `${decoded.value.id} ${Buffer.from(decoded.value.body).toString()}`);
  const dispatched = environment
    .named(topics.dispatch, "Dispatch")
    .map(({ decoded }) => `${decoded.value.messageIdentification} ${Buffer.from(decoded.value.body).toString()}`);
  return new Set([...events, ...dispatched]);
}

test("I3: a store restored to an older point repairs itself: the same states, events and deliveries, nothing under another identity", async () => {
  const environment = new SchedulerEnvironment({ seed: 3 });
  const first = await environment.scheduler();
  const uetrs = Array.from({ length: 6 }, () => environment.uetr());
  for (const uetr of uetrs) await environment.hold(uetr);
  await environment.until("held", () => uetrs.every((uetr) => environment.events(uetr).at(-1)?.endsWith("HELD") === true));
  await environment.time.advance(500);
  const older = environment.emptyStore();
  await copyStore(environment, environment.store, older);

  await environment.until("released", () => uetrs.every((uetr) => environment.events(uetr).at(-1)?.endsWith("RELEASED") === true));
  for (const uetr of uetrs.slice(0, 4)) await environment.append(topics.journal, uetr, environment.report(uetr, "made"));
  await environment.credit(environment.uetr());
  await environment.until("made", () => environment.events(uetrs[3]!).at(-1)?.endsWith("COMPLETED") === true);
  await environment.time.advance(1_000);
  const states = await allStates(environment, uetrs);
  const before = sent(environment);
  first.kill();

  environment.store = older;
  expect(await allStates(environment, uetrs)).not.toEqual(states);
  await environment.scheduler();
  // By now every record has been read again; the close is still ahead.
  await environment.time.advance(15_000);
  expect(await allStates(environment, uetrs)).toEqual(states);
  expect(sent(environment)).toEqual(before);
  expect(
    (await environment.settle(checkConservation(environment.store, schedulerDay))).partitions.flatMap(({ findings }) => findings),
  ).toEqual([]);
  await environment.until("reconciled", () => environment.named(topics.journal, "DayReconciled").length >= 2);
  await environment.time.advance(10_000);
  expect((await environment.states(uetrs[5]!)).at(-1)).toBe("RECONCILIATION");
  expect((await environment.settle(checkConservation(environment.store, schedulerDay))).isWhole).toBe(true);
});

async function allStates(environment: SchedulerEnvironment, uetrs: readonly string[]): Promise<readonly (readonly string[])[]> {
  const all: (readonly string[])[] = [];
  for (const uetr of uetrs) all.push(await environment.states(uetr));
  return all;
}
