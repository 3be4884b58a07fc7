// Decodes a record of the events topic. One that cannot be read or was erased is null; one whose schema or key is not
// known yet is learnt first.

import type { AnyDecodedRecord, Serde } from "@sluice/contracts";
import type { ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/kernel";

export async function decodeReadable({ value }: ReceivedRecord, serde: Serde): Promise<AnyDecodedRecord | null> {
  if (value === null) return null;
  try {
    return unlessErased(serde.decode(value));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (!error.isRetryable) return null;
  }
  await serde.learn(value);
  return unlessErased(serde.decode(value));
}

/** Without its body an event is none. */
function unlessErased(decoded: AnyDecodedRecord): AnyDecodedRecord | null {
  return decoded.isErased === true ? null : decoded;
}
