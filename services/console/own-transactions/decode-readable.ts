// Decodes a record of the events topic. One that cannot be read or was erased is null; one whose schema or key is not
// known yet is learnt first.

import type { AnyDecodedRecord, Serde } from "@sluice/contracts";
import type { ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/kernel";

/** Without its body an event is none. */
export async function decodeReadable(record: ReceivedRecord, serde: Serde): Promise<AnyDecodedRecord | null> {
  const decoded = await decodeWithErased(record, serde);
  return decoded?.isErased === true ? null : decoded;
}

/** An erased record too, with what stands in clear. */
export async function decodeWithErased({ value }: ReceivedRecord, serde: Serde): Promise<AnyDecodedRecord | null> {
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
