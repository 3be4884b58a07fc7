// Backups of the scheduler's store, and what was sent, for the tests of a restore.

import { topics } from "@sluice/contracts";
import type { Store } from "@sluice/store";
import type { SchedulerEnvironment } from "../scheduler.fixture.ts";

/**
 * Copies transactions, days, banks, ledgers and partitions of a store. The epochs of the copy are `epochsOlder` older,
 * but at least 1.
 */
export async function copyStore(environment: SchedulerEnvironment, from: Store, to: Store, epochsOlder = Infinity): Promise<void> {
  const done = <T>(promise: Promise<T>): Promise<T> => environment.settle(promise);
  for (const partition of await done(from.partitions.list("scheduler"))) {
    const documents = await done(from.builds.documents(partition.partition, partition.build, null, 1_000));
    await done(to.transactions.write(documents.map((document) => ({ document, expectedVersion: 0 }))));
    for (const ledger of await done(from.ledgers.listByPartition(partition.partition))) await done(to.ledgers.write(ledger, 0));
    let held = await done(to.partitions.takeOver("scheduler", partition.partition));
    while (held.epoch < partition.epoch - epochsOlder) held = await done(to.partitions.takeOver("scheduler", partition.partition));
    await done(to.partitions.write("scheduler", partition.partition, held, partition.position, partition.state));
  }
  for (const one of await done(from.days.open())) await done(to.days.write(one, 0));
  for (const one of await done(from.banks.all())) await done(to.banks.write(one, 0));
}

/** Collects identification and bytes of everything that was sent, repeats removed. */
export function listSent(environment: SchedulerEnvironment): ReadonlySet<string> {
  const events = environment
    .named(topics.events, "TransactionStateEvent")
    .map(({ decoded }) => `${decoded.value.id} ${Buffer.from(decoded.value.body).toString()}`);
  const dispatched = environment
    .named(topics.dispatch, "Dispatch")
    .map(({ decoded }) => `${decoded.value.messageIdentification} ${Buffer.from(decoded.value.body).toString()}`);
  return new Set([...events, ...dispatched]);
}

export async function listAllStates(environment: SchedulerEnvironment, uetrs: readonly string[]): Promise<readonly (readonly string[])[]> {
  const all: (readonly string[])[] = [];
  for (const uetr of uetrs) all.push(await environment.states(uetr));
  return all;
}
