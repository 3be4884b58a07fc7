// Renders every event again from the store, and compares it with the bytes of the events topic: what a bank is given of
// events that the topic no longer has must be what was posted (D8.43).

import { type AnyDecodedRecord, renderEventsAgain, type Serde, topics } from "@sluice/contracts";
import { type Configuration, findBank } from "@sluice/config";
import type { MemoryBroker } from "@sluice/messaging";
import type { Store, TransactionDocument } from "@sluice/store";
import type { VirtualTime } from "@sluice/testkit";

interface RenderedAgainPorts {
  readonly broker: MemoryBroker;
  readonly store: Store;
  readonly time: VirtualTime;
  readonly configuration: Configuration;
  /** Opens sealed records, outside of the run's time. */
  readonly serde: Serde;
}

const stepsMax = 100_000;

/** Returns a sentence for each event that is rendered otherwise now, or not at all. Moves the clock meanwhile. */
export async function findRenderedOtherwise(ports: RenderedAgainPorts): Promise<readonly string[]> {
  const { broker, store, time, serde } = ports;
  const records = Array.from({ length: ports.configuration.partitionCount }, (_, partition) =>
    broker.records({ topic: topics.events, partition }),
  ).flat();
  const events = (await Promise.all(records.map(({ value }) => decodeEvent(value, serde)))).filter((event) => event !== null);
  let isAnswered = false;
  const loading = store.transactions.load([...new Set(events.map(({ uetr }) => uetr))]).finally(() => (isAnswered = true));
  await time.run({ until: () => isAnswered, stepsMax });
  const documents = await loading;
  const rendered = await Promise.all([...documents.values()].map((document) => renderAll(document, ports)));
  const again = new Map(rendered.flat());
  return events
    .filter(({ id, body }) => again.get(id) !== Buffer.from(body).toString())
    .map(({ id, uetr, state }) => `the event ${id} of ${uetr} (${state}) is rendered otherwise now`);
}

async function renderAll(
  document: TransactionDocument,
  { configuration, serde }: RenderedAgainPorts,
): Promise<readonly (readonly [string, string])[]> {
  const find = (bank: string) => findBank(configuration, bank);
  const { transitions } = document.transaction;
  const events = await Promise.all(transitions.map(({ stageVersion }) => renderEventsAgain(document, stageVersion, { serde, find })));
  return events.flat().map(({ value }) => [value.id, Buffer.from(value.body).toString()] as const);
}

/** Null: it is no event, or nobody can read it. */
async function decodeEvent(value: Uint8Array | null, serde: Serde) {
  let decoded: AnyDecodedRecord;
  try {
    if (value === null) return null;
    await serde.learn(value);
    decoded = serde.decode(value);
  } catch {
    return null;
  }
  return decoded.name === "TransactionStateEvent" || decoded.name === "EsmStateEvent" ? decoded.value : null;
}
