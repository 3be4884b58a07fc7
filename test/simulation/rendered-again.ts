// Renders every event again from the store, and compares it with the bytes of the events topic: what a bank is given of
// events that the topic no longer has must be what was posted (D8.43).

import { type AnyDecodedRecord, renderEventsAgain, topics } from "@sluice/contracts";
import { type Configuration, findBank } from "@sluice/config";
import type { MemoryBroker } from "@sluice/messaging";
import type { Store, TransactionDocument } from "@sluice/store";
import type { VirtualTime } from "@sluice/testkit";
import { simulatedSerde } from "./read-history.ts";

interface RenderedAgainPorts {
  readonly broker: MemoryBroker;
  readonly store: Store;
  readonly time: VirtualTime;
  readonly configuration: Configuration;
}

const stepsMax = 100_000;

/** Returns a sentence for each event that is rendered otherwise now, or not at all. Moves the clock meanwhile. */
export async function findRenderedOtherwise({ broker, store, time, configuration }: RenderedAgainPorts): Promise<readonly string[]> {
  const { partitionCount } = configuration;
  const events = Array.from({ length: partitionCount }, (_, partition) => broker.records({ topic: topics.events, partition }))
    .flat()
    .flatMap(({ value }) => decodeEvent(value) ?? []);
  let isAnswered = false;
  const loading = store.transactions.load([...new Set(events.map(({ uetr }) => uetr))]).finally(() => (isAnswered = true));
  await time.run({ until: () => isAnswered, stepsMax });
  const documents = await loading;
  const again = new Map([...documents.values()].flatMap((document) => renderAll(document, configuration)));
  return events
    .filter(({ id, body }) => again.get(id) !== Buffer.from(body).toString())
    .map(({ id, uetr, state }) => `the event ${id} of ${uetr} (${state}) is rendered otherwise now`);
}

function renderAll(document: TransactionDocument, configuration: Configuration): readonly (readonly [string, string])[] {
  const find = (bank: string) => findBank(configuration, bank);
  return document.transaction.transitions.flatMap(({ stageVersion }) =>
    renderEventsAgain(document, stageVersion, { serde: simulatedSerde, find }).map(
      ({ value }) => [value.id, Buffer.from(value.body).toString()] as const,
    ),
  );
}

/** Null: it is no event, or nobody can read it. */
function decodeEvent(value: Uint8Array | null) {
  let decoded: AnyDecodedRecord;
  try {
    decoded = simulatedSerde.decode(value ?? new Uint8Array());
  } catch {
    return null;
  }
  return decoded.name === "TransactionStateEvent" || decoded.name === "EsmStateEvent" ? decoded.value : null;
}
