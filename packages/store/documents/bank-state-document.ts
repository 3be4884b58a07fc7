// The document of the collection `bankStates`: what operators decided about a bank.

import type { BankDecision, BankMarker, BankState } from "@sluice/domain";
import { as, type Codec, date, document, list, nullable, plain, textsSince, type StoredIn } from "./codec.ts";
import { actionCodec } from "./stored-action.ts";

export type StoredBankState = StoredIn<typeof bankStateCodec>;

/** Stored as it is. */
const marker: Codec<BankMarker, BankMarker> = { encode: (made) => ({ ...made }), decode: (stored) => ({ ...stored }) };

export const bankStateCodec = document<BankState>()({
  _id: as("bank", plain),
  version: plain,
  applied: plain,
  isPaused: plain,
  pauses: plain,
  resumes: plain,
  until: as("untilMs", nullable(date)),
  since: nullable(document<NonNullable<BankState["since"]>>()({ action: actionCodec, at: as("atMs", date) })),
  markers: list(document<BankState["markers"][number]>()({ offset: plain, at: as("atMs", date), marker })),
  usedActions: textsSince,
  decisions: list(
    document<BankDecision>()({ offset: plain, kind: plain, result: plain, why: plain, at: as("atMs", date), action: actionCodec }),
  ),
});
