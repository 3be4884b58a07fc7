// The stored form of an operator's action.

import type { OperatorAction } from "@sluice/domain";
import { as, date, document, plain, textSince } from "./codec.ts";

export const actionCodec = document<OperatorAction>()({
  id: plain,
  operator: plain,
  reason: plain,
  requestedAt: as("requestedAtMs", date),
  person: plain,
  confirmedBy: textSince,
  contentSha256: plain,
});
