// Decodes a record of the events topic. One that cannot be read is null; one whose schema is not known yet is learnt
// first.

import type { AnyDecodedRecord, Serde } from "@sluice/contracts";
import type { ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/kernel";

export async function decodeReadable({ value }: ReceivedRecord, serde: Serde): Promise<AnyDecodedRecord | null> {
  if (value === null) return null;
  try {
    return serde.decode(value);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (!error.isRetryable) return null;
  }
  await serde.learn(value);
  return serde.decode(value);
}
