// Which operations an operator of some schemes has (`schemes` in the configuration), and how each keeps to them. Pure.
//
// #1 An operation that is not listed is refused to such an operator, so that a new one shows nothing of another scheme
//    until somebody has said how it keeps to some.
// #2 A scheme that the address or the query names must be one of the operator's, whatever the operation is.

import type { ControlOperationName } from "./operations.ts";

type SchemeScope =
  /** It shows nothing of any scheme. */
  | "free"
  /** It is about the scheme that its address or query names. */
  | "named"
  /** Its handler answers only what is of the operator's schemes. */
  | "narrowed"
  /** It is about the transactions that its address, query or body names; each has one of the operator's schemes. */
  | "transactions"
  /** It is about a proposal, and judged as what is proposed. */
  | "proposal";

export const schemeScopes: Readonly<Partial<Record<ControlOperationName, SchemeScope>>> = {
  showMe: "free",
  listTopics: "free",
  showTopic: "free",
  showOverview: "narrowed",
  streamOverview: "narrowed",
  listServices: "narrowed",
  showDayOutlook: "named",
  showConservation: "named",
  summariseReconciliation: "named",
  exportReconciliation: "named",
  extendClose: "named",
  declareCreditsFinal: "named",
  openGate: "named",
  searchTransactions: "narrowed",
  countTransactions: "narrowed",
  exportTransactions: "narrowed",
  listWindows: "narrowed",
  listCalendar: "narrowed",
  compareCalendar: "narrowed",
  compareCalendarFile: "narrowed",
  listHeld: "narrowed",
  listReconciliation: "narrowed",
  listActions: "narrowed",
  exportActions: "narrowed",
  listProposals: "narrowed",
  showTransaction: "transactions",
  showSentRequest: "transactions",
  exportItemEvidence: "transactions",
  showAction: "transactions",
  withdrawDebit: "transactions",
  withdrawDebits: "transactions",
  redriveDelivery: "transactions",
  stopDelivery: "transactions",
  resolveItem: "transactions",
  resolveItems: "transactions",
  confirmResolution: "transactions",
  rejectResolution: "transactions",
  confirmResolutions: "transactions",
  rejectResolutions: "transactions",
  noteItem: "transactions",
  replayTransaction: "transactions",
  confirmProposal: "proposal",
  rejectProposal: "proposal",
  retractProposal: "proposal",
};

/** Why what a page asks is about every scheme and cannot be narrowed: a refusal says it. */
const aboutEveryScheme: Readonly<Partial<Record<ControlOperationName, string>>> = {
  showSeries: "The numbers of each minute were added up over every scheme when they were kept.",
  listAlarms: "An alarm is about a service, which does the work of every scheme.",
  controlStatus: "A partition has the records of every scheme, and a pause of a bank holds those of every scheme.",
  listBanks: "A bank has one queue, one pace and one pause for every scheme; what waits for a day of yours is on the first page.",
  showBank: "A bank has one queue, one pace and one pause for every scheme; what waits for a day of yours is on the first page.",
  listDeadLetters: "A record that could not be read does not say which scheme it is of; a transaction of yours shows its own.",
};

/** What a request names outside its body. */
export interface NamedInRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

/** `schemes` is null for an operator of every scheme. */
export function isOfSchemes(schemes: readonly string[] | null, scheme: string | null): boolean {
  return schemes === null || (scheme !== null && schemes.includes(scheme));
}

/** Why an operator of these schemes does not have the operation with what it names; null: it may have it. */
export function refuseScheme(name: ControlOperationName, schemes: readonly string[] | null, named: NamedInRequest): string | null {
  if (schemes === null) return null;
  const scope = schemeScopes[name];
  // #1
  if (scope === undefined) {
    const why = aboutEveryScheme[name];
    return `This is about every scheme, and you are an operator of ${schemes.join(", ")} alone.${why === undefined ? "" : ` ${why}`}`;
  }
  const asked = listNamedSchemes(named);
  // #2
  const other = asked.find((scheme) => !schemes.includes(scheme));
  if (other !== undefined) return `${other} is none of your schemes: ${schemes.join(", ")}.`;
  if (scope === "named" && asked.length === 0) return `Name one of your schemes: ${schemes.join(", ")}.`;
  const isOfNothing = scope === "transactions" && asked.length === 0 && named.path["uetr"] === undefined && named.query.has("key");
  return isOfNothing && !isUetr(named.query.get("key"))
    ? `This is about a bank, and you are an operator of ${schemes.join(", ")} alone.`
    : null;
}

/** Why an operator of these schemes has nothing to do with a transaction of this scheme; null: it has. */
export function refuseTransaction(schemes: readonly string[] | null, uetr: string, scheme: string | null): string | null {
  if (schemes === null || isOfSchemes(schemes, scheme)) return null;
  const own = schemes.join(", ");
  return scheme === null
    ? `${uetr} has no scheme yet, and you are an operator of ${own} alone.`
    : `${uetr} is of the scheme ${scheme}, which is none of yours: ${own}.`;
}

/** The UETRs that a request of scope `transactions` is about; `body` is its JSON, null for a question. */
export function listNamedTransactions({ path, query }: NamedInRequest, body: unknown): readonly string[] {
  const several =
    typeof body === "object" && body !== null && "of" in body && Array.isArray(body.of) ? (body.of as readonly unknown[]) : [];
  const ofBody = several.map((one) => (typeof one === "object" && one !== null && "uetr" in one ? one.uetr : one));
  const named = [path["uetr"], query.get("key"), ...ofBody].filter((one) => typeof one === "string");
  return [...new Set(named.filter((one) => isUetr(one)).map((one) => one.toLowerCase()))];
}

function listNamedSchemes({ path, query }: NamedInRequest): readonly string[] {
  const ofDays = [query.get("day"), query.get("reconciliationDay"), dayOf(query.get("key"))].map((day) => day?.split(":")[0]);
  return [path["scheme"], query.get("scheme"), ...ofDays].filter((scheme) => typeof scheme === "string");
}

/** Null: the key is that of a transaction or a bank, or is none. */
function dayOf(key: string | null): string | null {
  return key !== null && /^[A-Z][A-Z0-9_]*:/.test(key) ? key : null;
}

function isUetr(text: string | null): boolean {
  return text !== null && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
