// Asks the broker for its time by appending an empty record to the probe topic and reading its append time.

import { topics } from "@sluice/contracts";
import type { Producer } from "../port.ts";

export function createProbe(producer: Producer): () => Promise<number> {
  return async () => {
    const [appended] = await producer.send([{ topic: topics.probe, partition: 0, key: null, value: new Uint8Array(), headers: {} }]);
    // A send that resolves answers for each of its records.
    return appended?.appendedAtMs ?? Number.NaN;
  };
}
