// Renders events that the events topic no longer has, from what the store keeps of the journal: as they were posted, as
// far as the bank has the same settings as then. Of an erased message there is none.

import { type PostingSettings, renderEventsAgain, type Serde } from "@sluice/contracts";
import type { TransactionDocument } from "@sluice/store";

export interface PostedEvent {
  /** The `webhook-id` of its posting. */
  readonly id: string;
  /** JSON text as it was posted. */
  readonly body: string;
}

export interface NumberedEvent extends PostedEvent {
  /** Null: it has no place among the events of its UETR. */
  readonly stageVersion: number | null;
}

export interface PastEventsPorts {
  readonly serde: Serde;
  readonly findSettings: (bank: string) => PostingSettings | undefined;
}

/** Returns the events of one entry that are posted to `receiver`. */
export async function renderPastEvents(
  document: TransactionDocument,
  stageVersion: number,
  receiver: string,
  { serde, findSettings }: PastEventsPorts,
): Promise<readonly NumberedEvent[]> {
  const events = await renderEventsAgain(document, stageVersion, { serde, find: findSettings });
  return events
    .filter(({ value }) => value.bank === receiver)
    .map(({ name, value }) => {
      const version = name === "TransactionStateEvent" ? value.stageVersion : null;
      return { id: value.id, body: new TextDecoder().decode(value.body), stageVersion: version };
    });
}
