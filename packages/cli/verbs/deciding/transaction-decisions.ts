// `./sluice withdraw`, `redrive`, `reconciliation resolve`, `reconciliation confirm`: decisions about one transaction.

import { Fault, machineTime } from "@sluice/kernel";
import { asControlVerb, type RunControlVerb } from "../../terminal/control-client.ts";
import { requireOption as needed, runDecision } from "./send-decision.ts";
import type { VerbCall } from "../../terminal/verb.ts";

const uetrForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const runWithdraw: RunControlVerb = (call, where) => {
  const uetr = parseUetr(call);
  return runDecision(call, where, machineTime, { path: `/transactions/${uetr}/withdrawal`, body: {}, what: `withdrawal of ${uetr}` });
};

export const runRedrive: RunControlVerb = (call, where) => {
  const uetr = parseUetr(call);
  const messageIdentification = needed(call, "message");
  const isPosting = call.flag("posting");
  return runDecision(call, where, machineTime, {
    path: `/transactions/${uetr}/redrive`,
    body: { messageIdentification, target: isPosting ? "POSTING" : "DELIVERY" },
    what: `redrive of ${isPosting ? "posting" : "delivery"} ${messageIdentification}`,
  });
};

export const runResolve: RunControlVerb = (call, where) => {
  const uetr = parseUetr(call);
  const resolution = needed(call, "as").toUpperCase().replace("-", "_");
  const replacedBy = call.value("replaced-by");
  return runDecision(call, where, machineTime, {
    path: `/transactions/${uetr}/resolution`,
    body: { day: needed(call, "day"), resolution, ...(replacedBy === null ? {} : { replacedBy }) },
    what: `resolution of ${uetr} as ${resolution}`,
  });
};

export const runConfirm: RunControlVerb = (call, where) => {
  const uetr = parseUetr(call);
  const confirms = needed(call, "confirms");
  return runDecision(call, where, machineTime, {
    path: `/transactions/${uetr}/resolution/confirmation`,
    body: { confirms },
    what: `confirmation of ${confirms} on ${uetr}`,
  });
};

export const withdraw = asControlVerb(runWithdraw);
export const redrive = asControlVerb(runRedrive);
export const reconciliationResolve = asControlVerb(runResolve);
export const reconciliationConfirm = asControlVerb(runConfirm);

function parseUetr(call: VerbCall): string {
  const [given = ""] = call.positionals;
  const uetr = given.toLowerCase();
  if (uetrForm.test(uetr)) return uetr;
  throw new Fault("cli.no-uetr", `${given} is no UETR (8-4-4-4-12 hex digits)`, { isRetryable: false });
}
