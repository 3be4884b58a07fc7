// `./sluice withdraw`, `redrive`, `stop`, `reconciliation resolve`, `confirm`, `reject` and `note`:
// decisions about one transaction.

import { Fault, machineTime } from "@sluice/kernel";
import { asControlVerb, type RunControlVerb } from "../../terminal/control-client.ts";
import { previewTransaction } from "./preview.ts";
import { decisionNotes, decisionOptions, requireOption as needed, runDecision } from "./send-decision.ts";
import { uetrArgument, type Verb, type VerbCall } from "../../terminal/verb.ts";

const uetrForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const runWithdraw: RunControlVerb = (call, where) => {
  const uetr = parseUetr(call);
  return runDecision(call, where, machineTime, {
    path: `/transactions/${uetr}/withdrawal`,
    body: {},
    what: `withdrawal of ${uetr}`,
    preview: previewTransaction(uetr, "withdrawDebit", "it ends in RECONCILIATION, cause WITHDRAWN; this cannot be undone"),
    confirmedBy: "withdraw",
  });
};

export const runRedrive: RunControlVerb = (call, where) => {
  const uetr = parseUetr(call);
  const messageIdentification = needed(call, "message");
  const isPosting = call.flag("posting");
  return runDecision(call, where, machineTime, {
    path: `/transactions/${uetr}/redrive`,
    body: { messageIdentification, target: isPosting ? "POSTING" : "DELIVERY" },
    what: `redrive of ${isPosting ? "posting" : "delivery"} ${messageIdentification}`,
    preview: previewTransaction(uetr, isPosting ? "" : "redriveDelivery", null),
  });
};

export const runStop: RunControlVerb = (call, where) => {
  const uetr = parseUetr(call);
  const messageIdentification = needed(call, "message");
  const isPosting = call.flag("posting");
  const then = "it is tried no more; its receiver may have taken it, so its state stays until the close";
  return runDecision(call, where, machineTime, {
    path: `/transactions/${uetr}/stop`,
    body: { messageIdentification, target: isPosting ? "POSTING" : "DELIVERY" },
    what: `stop of ${isPosting ? "posting" : "delivery"} ${messageIdentification}`,
    preview: previewTransaction(uetr, isPosting ? "" : "stopDelivery", isPosting ? null : then),
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
    preview: previewTransaction(uetr, "resolveItem", "what was found out is kept for good; it cannot be undone once it is final"),
    confirmedBy: resolution,
  });
};

export const runConfirm = judgeResolution("confirmation", "confirmResolution", "this makes it final; it cannot be undone");
export const runReject = judgeResolution("rejection", "rejectResolution", "the item is open again; somebody has to resolve it again");

/** What a second person says of the resolution that the call names. */
function judgeResolution(
  said: "confirmation" | "rejection",
  operation: "confirmResolution" | "rejectResolution",
  warning: string,
): RunControlVerb {
  return (call, where) => {
    const uetr = parseUetr(call);
    const offset = needed(call, "offset");
    return runDecision(call, where, machineTime, {
      path: `/transactions/${uetr}/resolution/${said}`,
      body: { offset, contentSha256: needed(call, "sha256") },
      what: `${said} of ${offset} on ${uetr}`,
      preview: previewTransaction(uetr, operation, warning),
      confirmedBy: offset,
    });
  };
}

export const runNote: RunControlVerb = (call, where) => {
  const uetr = parseUetr(call);
  const [day, assignee] = [needed(call, "day"), call.value("assignee")];
  return runDecision(call, where, machineTime, {
    path: `/transactions/${uetr}/note`,
    body: { day, ...(assignee === null ? {} : { assignee }) },
    what: `note at the item of ${day} of ${uetr}`,
  });
};

export const withdrawVerb: Verb = {
  name: "withdraw",
  summary: "takes back a debit that has not been released; it cannot be undone",
  arguments: [uetrArgument],
  options: decisionOptions,
  notes: ["The debit ends in RECONCILIATION, cause WITHDRAWN.", ...decisionNotes],
  examples: ['withdraw 0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60 --reason "the creditor asked for it"'],
  run: asControlVerb(runWithdraw),
};

export const redriveVerb: Verb = {
  name: "redrive",
  summary: "has a refused or stopped delivery, or the posting of an event, tried again with the same bytes",
  arguments: [uetrArgument],
  options: {
    message: {
      type: "string",
      placeholder: "ID",
      text: "messageIdentification of the delivery, or the event's id of a posting (./sluice tx shows both)",
      isRequired: true,
    },
    posting: { type: "boolean", text: "redrives the posting of an event; else a message to a bank or connector" },
    ...decisionOptions,
  },
  notes: decisionNotes,
  examples: ['redrive 0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60 --message M-1 --reason "the bank has corrected its address"'],
  run: asControlVerb(runRedrive),
};

export const stopVerb: Verb = {
  name: "stop",
  summary: "has a delivery, or the posting of an event, that fails for ever tried no more",
  arguments: [uetrArgument],
  options: {
    message: {
      type: "string",
      placeholder: "ID",
      text: "messageIdentification of the delivery, or the event's id of a posting (./sluice failing shows both)",
      isRequired: true,
    },
    posting: { type: "boolean", text: "stops the posting of an event; else a message to a bank or connector" },
    ...decisionOptions,
  },
  notes: ["The state stays: the receiver may have taken it. Until the close it can be redriven.", ...decisionNotes],
  examples: ['stop 0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60 --message M-1 --reason "the bank cannot say when it will take it"'],
  run: asControlVerb(runStop),
};

export const reconciliationResolveVerb: Verb = {
  name: "reconciliation resolve",
  summary: "records what people found out about a reconciliation item",
  arguments: [uetrArgument],
  options: {
    day: { type: "string", placeholder: "DAY", text: "business day of the item, for example ZA_EFT:2026-11-20", isRequired: true },
    as: { type: "string", placeholder: "KIND", text: "what was found out", choices: ["made", "not-made", "replaced"], isRequired: true },
    "replaced-by": { type: "string", placeholder: "UETR", text: "with replaced: the transaction that replaces it" },
    ...decisionOptions,
  },
  notes: decisionNotes,
  examples: [
    'reconciliation resolve 0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60 --day ZA_EFT:2026-11-20 --as made --reason "the bank confirmed it by telephone"',
  ],
  run: asControlVerb(runResolve),
};

/** What a second person names, so that it is the resolution that they have seen. */
const namedResolution: Verb["options"] = {
  offset: {
    type: "string",
    placeholder: "N",
    text: "offset of the proposal in the journal (./sluice reconciliation show)",
    isRequired: true,
  },
  sha256: { type: "string", placeholder: "HEX", text: "SHA-256 of the proposal's content, shown there too", isRequired: true },
};

export const reconciliationConfirmVerb: Verb = {
  name: "reconciliation confirm",
  summary: "confirms, as a second person, what another operator found out",
  arguments: [uetrArgument],
  options: {
    ...namedResolution,
    ...decisionOptions,
  },
  notes: decisionNotes,
  examples: [
    'reconciliation confirm 0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60 --offset 4711 --sha256 9f86…0a08 --reason "checked against the statement"',
  ],
  run: asControlVerb(runConfirm),
};

export const reconciliationRejectVerb: Verb = {
  name: "reconciliation reject",
  summary: "rejects, as a second person, what another operator found out; the item is open again",
  arguments: [uetrArgument],
  options: {
    ...namedResolution,
    ...decisionOptions,
  },
  notes: decisionNotes,
  examples: [
    'reconciliation reject 0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60 --offset 4711 --sha256 9f86…0a08 --reason "the statement shows the payment"',
  ],
  run: asControlVerb(runReject),
};

export const reconciliationNoteVerb: Verb = {
  name: "reconciliation note",
  summary: "notes something at a reconciliation item, and says who sees to it; the reason is the note",
  arguments: [uetrArgument],
  options: {
    day: { type: "string", placeholder: "DAY", text: "business day of the item, for example ZA_EFT:2026-11-20", isRequired: true },
    assignee: { type: "string", placeholder: "ID", text: "the operator who sees to it from here on; without it: nobody" },
    ...decisionOptions,
  },
  notes: ["No state changes. The newest note counts; the journal keeps the earlier ones.", ...decisionNotes],
  examples: [
    'reconciliation note 0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60 --day ZA_EFT:2026-11-20 --assignee thandi --reason "the bank answers on Monday"',
  ],
  run: asControlVerb(runNote),
};

function parseUetr(call: VerbCall): string {
  const [given = ""] = call.positionals;
  const uetr = given.toLowerCase();
  if (uetrForm.test(uetr)) return uetr;
  throw new Fault("cli.no-uetr", `${given} is no UETR (8-4-4-4-12 hex digits)`, { isRetryable: false });
}
