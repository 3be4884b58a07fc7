// The verbs by which operators decide. Each makes a call of the control API and waits for the result.

import { decisionDetails, decisionOptions } from "./send-decision.ts";
import type { Verb } from "../../terminal/verb.ts";

const why = "--reason TEXT";

export const decisionVerbs: readonly Verb[] = [
  {
    name: "withdraw",
    usage: `UETR ${why} [--json]`,
    line: "takes back a debit that has not been released; it cannot be undone",
    details: ["The debit ends in RECONCILIATION, cause WITHDRAWN.", ...decisionDetails],
    options: decisionOptions,
    arguments: [1, 1],
    load: async () => (await import("./transaction-decisions.ts")).withdraw,
  },
  {
    name: "redrive",
    usage: `UETR --message ID [--posting] ${why} [--json]`,
    line: "has a refused delivery, or the posting of an event, tried again with the same bytes",
    details: [
      "--message ID   messageIdentification of the delivery, or the event's id of a posting (./sluice tx shows both)",
      "--posting      redrives the posting of an event; else a message to a bank or connector",
      ...decisionDetails,
    ],
    options: { ...decisionOptions, message: { type: "string" }, posting: { type: "boolean" } },
    arguments: [1, 1],
    load: async () => (await import("./transaction-decisions.ts")).redrive,
  },
  {
    name: "reconciliation resolve",
    usage: `UETR --day SCHEME:DATE --as made|not-made|replaced ${why} [--json]`,
    line: "records what people found out about a reconciliation item",
    details: [
      "--day DAY      business day of the item, such as ZA_EFT:2026-11-20",
      "--as KIND      made, not-made or replaced",
      "--replaced-by UETR  with replaced: the transaction that replaces it",
      ...decisionDetails,
    ],
    options: { ...decisionOptions, day: { type: "string" }, as: { type: "string" }, "replaced-by": { type: "string" } },
    arguments: [1, 1],
    load: async () => (await import("./transaction-decisions.ts")).reconciliationResolve,
  },
  {
    name: "reconciliation confirm",
    usage: `UETR --confirms ID ${why} [--json]`,
    line: "confirms, as a second person, what another operator found out",
    details: ["--confirms ID  id of the decision that asked for the resolution", ...decisionDetails],
    options: { ...decisionOptions, confirms: { type: "string" } },
    arguments: [1, 1],
    load: async () => (await import("./transaction-decisions.ts")).reconciliationConfirm,
  },
  {
    name: "window extend",
    usage: `SCHEME:DATE --window N|reconciliation --closes-at INSTANT ${why} [--json]`,
    line: "extends a close that has not been reached, by 24 hours at most",
    details: [
      "--window N     number of the processing window, or reconciliation",
      "--closes-at T  the new time, with its offset: 2026-11-20T16:30:00+02:00",
      ...decisionDetails,
    ],
    options: { ...decisionOptions, window: { type: "string" }, "closes-at": { type: "string" } },
    arguments: [1, 1],
    load: async () => (await import("./day-decisions.ts")).windowExtend,
  },
  {
    name: "window credits-final",
    usage: `SCHEME:DATE [--bank ID] ${why} [--json]`,
    line: "declares the credits of a business day final; it cannot be withdrawn",
    details: ["--bank ID      for that bank only; else for all banks", ...decisionDetails],
    options: { ...decisionOptions, bank: { type: "string" } },
    arguments: [1, 1],
    load: async () => (await import("./day-decisions.ts")).windowCreditsFinal,
  },
  {
    name: "window open-gate",
    usage: `SCHEME:DATE --bank ID --credits UETR,… ${why} [--json]`,
    line: "opens a bank's gate over credits that are not resolved, each of them named",
    details: [
      "--credits LIST UETRs separated by commas: every credit that keeps the gate closed (./sluice windows lists them)",
      ...decisionDetails,
    ],
    options: { ...decisionOptions, bank: { type: "string" }, credits: { type: "string" } },
    arguments: [1, 1],
    load: async () => (await import("./day-decisions.ts")).windowOpenGate,
  },
  {
    name: "bank pause",
    usage: `ID [--until INSTANT|--for DURATION] ${why} [--json]`,
    line: "pauses a bank or connector: nothing is released, delivered or posted to it",
    details: [
      "--until T      maintenance: the pause ends automatically then; with its offset: 2026-11-22T03:00+02:00",
      "--for D        the same, from now on: 90s, 30m, 2h",
      "Without an end it lasts until ./sluice bank resume. A second pause changes the end.",
      ...decisionDetails,
    ],
    options: { ...decisionOptions, until: { type: "string" }, for: { type: "string" } },
    arguments: [1, 1],
    load: async () => (await import("./day-decisions.ts")).bankPause,
  },
  {
    name: "bank resume",
    usage: `ID ${why} [--json]`,
    line: "ends the pause of a bank or connector; waiting messages are due at once, in order",
    details: decisionDetails,
    options: decisionOptions,
    arguments: [1, 1],
    load: async () => (await import("./day-decisions.ts")).bankResume,
  },
];
