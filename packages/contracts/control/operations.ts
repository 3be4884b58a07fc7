// The operations of the control API, as one table: the console takes its routes from it, the OpenAPI document its
// paths.
//
// #1 Every operation lies below `controlPrefix`. A question needs the role read, a decision the role act, and the
//    confirmation or rejection of what another person proposed the role approve. A bank's own person, who can only
//    read, may have its own addresses checked.
// #2 An operator of one bank (`bank` in the configuration) has only the operations that are `forBank`, and of those
//    only what lies below its own bank.
// #3 A query parameter that is not listed here is refused, so that a misspelt filter never returns more than was asked
//    for.
// #4 A decision is a POST. A question is a GET, or a POST where what it asks about is longer than an address may be; it
//    changes nothing either way.

import type { SecondPersonAction } from "@sluice/domain";
import { searchTerms } from "./search-terms.ts";

export const controlPrefix = "/control/v1";

export type ControlRole = "read" | "act" | "approve";

export interface ControlOperation {
  readonly name: string;
  /** #4 */
  readonly kind: "question" | "decision";
  readonly method: "GET" | "POST";
  /**
   * The path below the prefix, in OpenAPI's form. A part in braces is a parameter: `uetr`, `scheme`, `date`, `bank`,
   * `action`, `letter` or `topic`.
   */
  readonly path: string;
  readonly role: ControlRole;
  /** The names of the query parameters. */
  readonly query: readonly string[];
  readonly summary: string;
  /** The body is a file: YAML, or JSON, which is YAML too. Left out: a POST has a body of JSON, by its schema. */
  readonly takesYaml?: true;
  /** An operator of one bank has it too; left out: Sluice's operators alone have it. */
  readonly forBank?: true;
}

const page = ["limit", "after"] as const;

export const controlOperations = [
  { ...question("showMe", "/me", [], "Who asks, with which roles"), forBank: true },
  question("showOverview", "/overview", [], "What is going on now, in one answer"),
  question("streamOverview", "/stream", [], "The overview, each time it changes"),
  question("showSeries", "/series", ["bank"], "What the numbers were, minute by minute"),
  question("listAlarms", "/alarms", [], "Alarms that fire"),
  question("controlStatus", "/status", [], "Partitions, banks and days at a glance"),
  question("listServices", "/services", [], "Each process of each service: version, readiness, partitions"),
  question("listTopics", "/topics", [], "The topics, and who writes and reads their records"),
  question("showTopic", "/topics/{topic}", [], "The records of a topic, with every field of their newest schema"),
  question("searchTransactions", "/transactions", [...searchTerms.map(({ name }) => name), "sort", ...page], "Search transactions"),
  question(
    "countTransactions",
    "/transactions/counts",
    searchTerms.map(({ name }) => name),
    "How many match a search, by state and bank",
  ),
  question(
    "exportTransactions",
    "/transactions/export",
    [...searchTerms.map(({ name }) => name), "format"],
    "What a search finds, as a file",
  ),
  question("showTransaction", "/transactions/{uetr}", [], "All that happened to a transaction"),
  question("showSentRequest", "/transactions/{uetr}/request", ["of", "offset"], "What the attempts of one message send, masked"),
  question("listWindows", "/windows", ["scheme", "from", "to"], "Business days, their windows and gates"),
  question("showDayOutlook", "/days/{scheme}/{date}/outlook", [], "When the held debits of a day are through, against its closes"),
  question("listCalendar", "/calendar", ["scheme", "from", "to"], "Dates of a scheme: windows, or why there are none"),
  question(
    "compareCalendar",
    "/calendar/difference",
    ["scheme", "from", "to", "closed", "windows"],
    "What other holidays or windows would change, and which held debits would move",
  ),
  {
    ...question("compareCalendarFile", "/calendar/file-difference", ["from", "to"], "What another calendar file would change, by scheme"),
    method: "POST",
    takesYaml: true,
  },
  question("listHeld", "/held", ["bank", "day", ...page], "What is held, and why"),
  question("listUndelivered", "/undelivered", ["bank", ...page], "What banks have not taken"),
  question("listFailing", "/failing", ["bank", ...page], "Messages that fail often"),
  question("listReconciliation", "/reconciliation", ["day", "bank", "row", "open", "proposed", "minAge", ...page], "Reconciliation items"),
  question("summariseReconciliation", "/reconciliation/summary", ["day"], "Counts and sums of reconciliation items"),
  question("exportReconciliation", "/reconciliation/export", ["day", "format"], "Reconciliation items as a file"),
  question("exportItemEvidence", "/transactions/{uetr}/evidence", ["day"], "All that is known about a reconciliation item, as one file"),
  question("listBanks", "/banks", [], "Banks and connectors: how they stand, what waits, and their day's totals"),
  question("showBank", "/banks/{bank}", [], "One bank or connector: addresses, gates, backlog, refusals, decisions"),
  ofBank("showOwnBank", "/banks/{bank}/own", [], "What a bank may see of itself: how it stands, what waits for it, its day"),
  ofBank(
    "listOwnTransactions",
    "/banks/{bank}/transactions",
    ["side", "state", "businessDate", "identification", ...page],
    "A bank's own transactions, the last received first",
  ),
  ofBank("showOwnTransaction", "/banks/{bank}/transactions/{uetr}", [], "One transaction of a bank's own, and its states"),
  ofBank("listOwnDeliveries", "/banks/{bank}/deliveries", page, "What a bank has not taken, and what it answered"),
  ofBank("listOwnEvents", "/banks/{bank}/events", ["from", "to", "after"], "How many events of a bank a time has, and how each was posted"),
  ofBank("exportOwnEvents", "/banks/{bank}/events/export", ["from", "to", "after", "format"], "A bank's events of a time, as a file"),
  question(
    "listRefused",
    "/banks/{bank}/refused",
    ["target", "operation", "httpStatusCode"],
    "What a bank refused for good, to be redriven",
  ),
  question("showConservation", "/conservation", ["day"], "Whether all that was accepted is accounted for"),
  question("listDeadLetters", "/dead-letters", ["service", "topic", "key", "why", "since", ...page], "Dead letters"),
  question("showDeadLetter", "/dead-letters/{letter}", [], "One of them, and whether it could be read now"),
  question("listActions", "/actions", ["operator", "kind", "from", "to"], "What operators decided, the newest first"),
  question("exportActions", "/actions/export", ["operator", "kind", "from", "to", "format"], "What operators decided, as a file"),
  question("showAction", "/actions/{action}", ["key"], "What became of a decision"),
  question("listProposals", "/proposals", page, "Decisions that need a second person, and how each proposal ended"),
  decision("withdrawDebit", "/transactions/{uetr}/withdrawal", "Withdraw a debit that has not been released"),
  decision("redriveDelivery", "/transactions/{uetr}/redrive", "Have a refused delivery or posting tried again"),
  decision("stopDelivery", "/transactions/{uetr}/stop", "Have a delivery or posting that fails tried no more"),
  decision("resolveItem", "/transactions/{uetr}/resolution", "Resolve a reconciliation item"),
  decision("confirmResolution", "/transactions/{uetr}/resolution/confirmation", "Confirm another person's resolution", "approve"),
  decision("rejectResolution", "/transactions/{uetr}/resolution/rejection", "Reject another person's resolution", "approve"),
  decision("noteItem", "/transactions/{uetr}/note", "Note something at a reconciliation item, and who sees to it"),
  decision("extendClose", "/days/{scheme}/{date}/close-extension", "Extend a close that is not reached"),
  decision("declareCreditsFinal", "/days/{scheme}/{date}/credits-final", "Declare the credits of a day final"),
  decision("openGate", "/days/{scheme}/{date}/gate-opening", "Open a bank's gate over unresolved credits"),
  decision("pauseBank", "/banks/{bank}/pause", "Pause a bank"),
  decision("resumeBank", "/banks/{bank}/resume", "End a bank's pause"),
  decision("checkBank", "/banks/{bank}/check", "Call a bank's addresses without a message, to learn whether they answer"),
  {
    ...decision("checkOwnBank", "/banks/{bank}/own/check", "Call a bank's own addresses without a message, as the bank asks", "read"),
    forBank: true,
  },
  decision("redriveBank", "/banks/{bank}/redrive", "Have several messages that a bank refused tried again, as one decision"),
  decision("withdrawDebits", "/withdrawal", "Withdraw several debits, as one decision"),
  decision("resolveItems", "/resolution", "Resolve several reconciliation items, as one decision"),
  decision("confirmResolutions", "/resolution/confirmation", "Confirm another person's resolutions, several at once", "approve"),
  decision("rejectResolutions", "/resolution/rejection", "Reject another person's resolutions, several at once", "approve"),
  decision("pauseBanks", "/pause", "Pause several banks and connectors, or all"),
  decision("resumeBanks", "/resume", "End the pause of several banks and connectors, or of all"),
  decision(
    "eraseMonth",
    "/banks/{bank}/erasure/{month}",
    "Destroy the key of a bank's month, so that nobody can read its personal data again",
  ),
  decision("skipStuckRecord", "/skip", "Skip a record that stops a partition"),
  decision("replayDeadLetter", "/dead-letters/{letter}/replay", "Append one dead letter again"),
  decision("replayTransaction", "/transactions/{uetr}/replay", "Append all dead letters of a transaction again"),
  decision("replayDeadLetters", "/replay", "Append several dead letters and transactions again, as one decision"),
  decision("confirmProposal", "/proposals/{action}/confirmation", "Confirm another person's proposal", "approve"),
  decision("rejectProposal", "/proposals/{action}/rejection", "Reject another person's proposal", "approve"),
  decision("retractProposal", "/proposals/{action}/retraction", "Retract a proposal of one's own"),
] as const satisfies readonly ControlOperation[];

export type ControlOperationName = (typeof controlOperations)[number]["name"];

/** What the configuration calls each decision that can need a second person. */
export const secondPersonOperations = {
  declareCreditsFinal: "credits-final",
  openGate: "open-gate",
  withdrawDebit: "withdraw",
  withdrawDebits: "withdraw",
  redriveDelivery: "redrive",
  stopDelivery: "stop",
  redriveBank: "redrive",
  replayDeadLetter: "replay",
  replayTransaction: "replay",
  replayDeadLetters: "replay",
  skipStuckRecord: "skip",
  extendClose: "extend",
  eraseMonth: "erase",
} as const satisfies Partial<Record<ControlOperationName, SecondPersonAction>>;

export type SecondPersonOperation = keyof typeof secondPersonOperations;

function question<const Name extends string>(name: Name, path: string, query: readonly string[], summary: string) {
  return { name, kind: "question", method: "GET", path, role: "read", query, summary } as const;
}

function decision<const Name extends string>(name: Name, path: string, summary: string, role: ControlRole = "act") {
  return { name, kind: "decision", method: "POST", path, role, query: [] as readonly string[], summary } as const;
}

function ofBank<const Name extends string>(name: Name, path: string, query: readonly string[], summary: string) {
  return { ...question(name, path, query, summary), forBank: true } as const;
}
