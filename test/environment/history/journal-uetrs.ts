// Lists the transactions of a journal by reading it from offset 0.

import { partitionCountDefault, topics } from "@sluice/contracts";
import { type Messaging, requireCovered } from "@sluice/messaging";

const uetrPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the UETRs of all records, sorted. Keys of days and banks are left out. */
export async function readUetrs(messaging: Messaging): Promise<readonly string[]> {
  const partitions = Array.from({ length: partitionCountDefault }, (_, partition) => ({ topic: topics.journal, partition }));
  const found = new Set<string>();
  for (const [index, { logEnd }] of (await messaging.ends(partitions)).entries()) {
    const partition = partitions[index];
    if (partition === undefined || logEnd === 0n) continue;
    for await (const { key } of requireCovered(messaging.read(partition, 0n, logEnd), partition, 0n, logEnd))
      found.add(new TextDecoder().decode(key ?? new Uint8Array()));
  }
  return [...found].filter((key) => uetrPattern.test(key)).toSorted();
}
