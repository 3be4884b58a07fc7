// The stored form of an operator's action.

import type { OperatorAction } from "@sluice/domain";
import { as, date, document, plain } from "./codec.ts";

export const actionCodec = document<OperatorAction>()({
  id: plain,
  operator: plain,
  reason: plain,
  requestedAt: as("requestedAtMs", date),
  person: plain,
  contentSha256: plain,
});
