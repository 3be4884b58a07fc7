// The options of the verbs that ask what operators decided.

import type { Verb } from "../../terminal/verb.ts";

export const decisionFilters: Verb["options"] = {
  operator: { type: "string", placeholder: "ID", text: "only what this operator decided" },
  kind: { type: "string", placeholder: "RECORD", text: "only this kind, for example WithdrawalRequested" },
  from: { type: "string", placeholder: "INSTANT", text: "from this instant, for example 2026-11-17T00:00:00+02:00 (a week ago)" },
  to: { type: "string", placeholder: "INSTANT", text: "to this instant (now)" },
};
