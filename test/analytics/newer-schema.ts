// Writes an entry once more, under a newer version of its schema that has one more optional field.

import { partitionCountDefault, topics } from "@sluice/contracts";
import { machineTime } from "@sluice/kernel";
import type { ServerAddresses } from "@sluice/local-servers";
import type { Messaging, ReceivedRecord } from "@sluice/messaging";

const answerMaxMs = 10_000;
const headBytes = 5;
export const newColumn = "note";
export const newValue = "written by a newer version";

/** The second record is a repeat of the first, which is in the topic already. */
export async function repeatEntryTwice(servers: ServerAddresses, messaging: Messaging): Promise<void> {
  const found = await firstEntry(messaging);
  const { topic, partition, key, value, headers } = found;
  if (value === null) throw new Error("an entry has a value");
  const newer = Buffer.concat([await registerNewer(servers), value.subarray(headBytes), presentText(newValue)]);
  const producer = await messaging.producer(`newer-${machineTime.nowMs()}`);
  try {
    await producer.send([
      { topic, partition, key, value, headers },
      { topic, partition, key, value: newer, headers },
    ]);
  } finally {
    await producer.close();
  }
}

async function firstEntry(messaging: Messaging): Promise<ReceivedRecord> {
  for (let partition = 0; partition < partitionCountDefault; partition += 1) {
    const place = { topic: topics.stateEvents, partition };
    const [ends] = await messaging.ends([place]);
    if (ends === undefined || ends.logEnd === ends.logStart) continue;
    for await (const record of messaging.read(place, ends.logStart, ends.logEnd)) return record;
  }
  throw new Error("no entry was written");
}

/** Returns the head of a record: a zero, and the id of the new schema. */
async function registerNewer({ schemaRegistryUrl }: ServerAddresses): Promise<Buffer> {
  const versions = `${schemaRegistryUrl}/subjects/${topics.stateEvents}-value/versions`;
  const signal = AbortSignal.timeout(answerMaxMs);
  const { schema }: { readonly schema: string } = JSON.parse(await (await fetch(`${versions}/latest`, { signal })).text());
  const record: { readonly fields: readonly object[] } = JSON.parse(schema);
  const added = { name: newColumn, type: ["null", "string"], default: null, doc: "Added for this test." };
  const body = JSON.stringify({ schema: JSON.stringify({ ...record, fields: [...record.fields, added] }) });
  const answer = await fetch(versions, { method: "POST", body, headers: { "content-type": "application/json" }, signal });
  const { id }: { readonly id: number } = JSON.parse(await answer.text());
  const head = Buffer.alloc(headBytes);
  head.writeInt32BE(id, 1);
  return head;
}

/** The second branch of a union with null: its number as a zigzag, the length as a zigzag, the text. */
function presentText(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 63) throw new Error("one byte holds the length");
  return Buffer.concat([Buffer.from([2, bytes.length * 2]), bytes]);
}
