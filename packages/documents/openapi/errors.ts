// Every error that an operation may answer, with its exact texts. The texts are those of ingress and of the readers; a
// test provokes each one.
//
// #1 `provoke` tells how to get the error from the operation's own example: members to change (JSON text; null leaves
//    the member out), another body, or changes to the request. Null: no single request gets it.

import { servedOperations, type ServedOperationName } from "@sluice/contracts";

type Provocation =
  | { readonly change: readonly (readonly [path: string, json: string | null])[] }
  | { readonly body: string }
  | {
      readonly request:
        | "get"
        | "no-token"
        | "other-kind-of-caller"
        | "other-bank"
        | "other-path"
        | "other-media-type"
        | "compressed"
        | "chunked"
        | "too-large";
    };

export interface DocumentedError {
  readonly name: string;
  readonly status: number;
  readonly summary: string;
  readonly message: string;
  readonly detail: string;
  readonly operations: readonly ServedOperationName[] | "posts" | "all";
  readonly provoke: Provocation | null;
  /** Ingress refuses it after the message was read. */
  readonly isByIngress: boolean;
}

const debits = ["outboundDirectDebit", "schemeInboundDirectDebit"] as const;
const amounts = [...debits, "schemeInboundCreditTransferAuthorization"] as const;
const reports = ["inboundDirectDebitResponse", "inboundCreditTransferAuthorizationResponse"] as const;
const messages = [...amounts, ...reports] as const;
const banks = ["outboundDirectDebit", "inboundDirectDebitResponse", "inboundCreditTransferAuthorizationResponse", "creditsFinal"] as const;
const connectors = ["schemeInboundDirectDebit", "schemeInboundCreditTransferAuthorization", "schemeCreditsFinal"] as const;
const questions = ["transactionStatus", "transactionEvents", "bankEvents"] as const;
const aboutOne = ["transactionStatus", "transactionEvents"] as const;
const declarations = ["creditsFinal", "schemeCreditsFinal"] as const;
const misfit = "The message does not fit the schema.";
const unreadable = "The body is not JSON that can be read.";
const settlementAmount = "/amounts/bankSettlementAmount";

const judgedByIngress: ReadonlySet<string> = new Set([
  "unknownDebtorAgent",
  "unknownCreditorAgent",
  "contradictingAgent",
  "notOnUs",
  "schemeWithoutDebits",
  "pastDate",
  "notWorkingDay",
  "unknownDate",
  "nothingWaits",
  "unknownScheme",
  "declaredByConnector",
  "declaredByBanks",
  "declaredByClock",
]);

export const documentedErrors: readonly DocumentedError[] = [
  error("notJson", 400, "The body is not JSON", unreadable, "/: a value was expected at character 1", "posts", { body: "<xml/>" }),
  error("memberTwice", 400, "A member is there twice", unreadable, "/schema: this member is given twice", "posts", {
    body: '{"schema":"DirectDebit","schema":"DirectDebit"}',
  }),
  error("memberMissing", 400, "A required member is missing", misfit, "/transactionIdentifiers/uetr: is required", messages, {
    change: [["/transactionIdentifiers/uetr", null]],
  }),
  error(
    "memberUnknown",
    400,
    "A member is not of this interface",
    misfit,
    "/amounts/vat: this member is not known; supplementaryData is the place for extras",
    amounts,
    { change: [["/amounts/vat", "1"]] },
  ),
  error("tooLong", 400, "A text is too long", misfit, "/creditor/legalName: must have 1 to 140 characters", debits, {
    change: [["/creditor/legalName", JSON.stringify("x".repeat(141))]],
  }),
  error("notAuthenticated", 401, "The token is missing or not known", "Not authenticated", "A known bearer token is needed.", "all", {
    request: "no-token",
  }),
  error(
    "notSigned",
    401,
    "The caller must sign, and this is not signed",
    "Signature not accepted",
    "Your messages must be signed: the headers signature-input and signature are needed.",
    "posts",
    null,
  ),
  error(
    "notYourAgent",
    403,
    "The caller is not the creditor's agent",
    "Not allowed",
    "/creditorAgent: you do not stand for this agent.",
    ["outboundDirectDebit"],
    { request: "other-bank" },
  ),
  error("notForBanks", 403, "Not this kind of caller", "Not allowed", "Only a scheme connector sends this.", connectors, {
    request: "other-kind-of-caller",
  }),
  error("notForConnectors", 403, "Not this kind of caller", "Not allowed", "Only a bank sends this.", banks, {
    request: "other-kind-of-caller",
  }),
  error("notUetr", 400, "The address names no UETR", "Not a UETR", "The address names no UUID of the form 8-4-4-4-12.", aboutOne, null),
  error(
    "notTime",
    400,
    "The time is not one",
    "Not a time",
    "from, to: instants with their offsets, at most 31 days apart.",
    ["bankEvents"],
    null,
  ),
  error(
    "notStageVersion",
    400,
    "`from` is not a stageVersion",
    "Not a stageVersion",
    "from: a whole number from 1 to 9999.",
    ["transactionEvents"],
    null,
  ),
  error("notFound", 404, "No such address", "Not found", "There is no such address.", "posts", { request: "other-path" }),
  error("notAllowedMethod", 405, "Another method than POST", "Method not allowed", "Only POST.", "posts", { request: "get" }),
  error("notAllowedMethodHere", 405, "Another method than GET", "Method not allowed", "Only GET.", questions, null),
  error("tooSlow", 408, "The request did not come in time", "Too slow", "The request was not read to its end.", "all", null),
  error(
    "noLength",
    411,
    "The body has no announced length",
    "Length required",
    "Send the body with a content-length header and without chunks.",
    "posts",
    { request: "chunked" },
  ),
  error("tooLarge", 413, "The body is too large", "Too large", "A body may have at most 262144 bytes.", "posts", { request: "too-large" }),
  error("notJsonType", 415, "The media type is not JSON", "Unsupported media type", "Send application/json in UTF-8.", "posts", {
    request: "other-media-type",
  }),
  error(
    "encoded",
    415,
    "The body is compressed",
    "Unsupported content encoding",
    "Send the body as it is, without content-encoding.",
    "posts",
    { request: "compressed" },
  ),
  error(
    "tooManyDigits",
    422,
    "More decimals than the currency has",
    "The amount cannot be processed.",
    `${settlementAmount}/value: 1250.505 has more digits than ZAR allows (2).`,
    amounts,
    { change: [[`${settlementAmount}/value`, "1250.505"]] },
  ),
  error(
    "unknownCurrency",
    422,
    "The currency is not active",
    "The amount cannot be processed.",
    `${settlementAmount}/currency: XYZ is not an active currency`,
    amounts,
    { change: [[`${settlementAmount}/currency`, '"XYZ"']] },
  ),
  error(
    "wrongScheme",
    422,
    "Not a scheme of direct debits",
    "The message cannot be processed.",
    "/paymentScheme/schema: only ZA_EFT is accepted here",
    debits,
    { change: [["/paymentScheme/schema", '"ZA_RTC"']] },
  ),
  error(
    "unknownDebtorAgent",
    422,
    "Nobody stands for the debtor's agent",
    "Unknown agent",
    "/debtorAgent: no configured bank stands for this agent.",
    debits,
    { change: [["/debtorAgent", '{"memberId":"999999"}']] },
  ),
  error(
    "unknownCreditorAgent",
    422,
    "Nobody stands for the creditor's agent",
    "Unknown agent",
    "/creditorAgent: no configured bank stands for this agent.",
    ["schemeInboundCreditTransferAuthorization"],
    { change: [["/creditorAgent", '{"memberId":"999999"}']] },
  ),
  error(
    "contradictingAgent",
    422,
    "The agent's members are of two banks",
    "Contradicting agent",
    "/debtorAgent: memberId, bicfi and branch do not belong to the same bank.",
    debits,
    { change: [["/debtorAgent", '{"memberId":"250655","branch":{"identification":"250656"}}']] },
  ),
  error(
    "notOnUs",
    422,
    "The payer is at another bank",
    "Not an on-us debit",
    "/debtorAgent: a debit to another bank cannot be sent this way.",
    ["outboundDirectDebit"],
    { change: [["/debtorAgent", '{"memberId":"250656"}']] },
  ),
  error(
    "unknownScheme",
    422,
    "A scheme that is not configured",
    "Unknown scheme",
    "/paymentScheme/schema: this scheme is not served here.",
    messages,
    null,
  ),
  error(
    "notYourScheme",
    403,
    "The connector does not speak for the scheme",
    "Not allowed",
    "/paymentScheme/schema: you do not speak for this scheme.",
    ["schemeInboundCreditTransferAuthorization"],
    { change: [["/paymentScheme/schema", '"ZA_RPP"']] },
  ),
  error(
    "schemeWithoutDebits",
    422,
    "A scheme that has no debits",
    "Wrong scheme",
    "/paymentScheme/schema: this scheme has no direct debits.",
    ["inboundDirectDebitResponse"],
    { change: [["/paymentScheme/schema", '"ZA_RTC"']] },
  ),
  error(
    "contradictingStatus",
    422,
    "Code and outcome disagree",
    "The message cannot be processed.",
    "/status/outcome: ACSC and REJECTED contradict each other",
    reports,
    { change: [["/status", '{"code":"ACSC","outcome":"REJECTED"}']] },
  ),
  error(
    "unknownStatus",
    422,
    "A code that is not in the table",
    "The message cannot be processed.",
    "/status/code: must be one of ACCP, ACSP, ACSC, ACCC, RJCT, PDNG, CANC",
    reports,
    { change: [["/status", '{"code":"PART"}']] },
  ),
  error("pastDate", 422, "The business day is over", "Past date", "/businessDate: this business day is over.", declarations, {
    change: [["/businessDate", '"2020-01-03"']],
  }),
  error("notWorkingDay", 422, "Not a working day", "Not a working day", "/businessDate: nothing is processed on this date.", declarations, {
    change: [["/businessDate", '"2026-11-22"']],
  }),
  error("unknownDate", 422, "Too far ahead", "Unknown date", "/businessDate: days are known until 7 days ahead.", declarations, {
    change: [["/businessDate", '"2099-01-05"']],
  }),
  error("nothingWaits", 422, "A scheme that has no debits", "Nothing waits", "/scheme: no debits are held for this scheme.", declarations, {
    change: [["/scheme", '"ZA_RTC"']],
  }),
  error(
    "declaredByConnector",
    422,
    "The connector declares",
    "Declared by another",
    "/scheme: the connector must declare the credits of this scheme.",
    ["creditsFinal"],
    null,
  ),
  error(
    "declaredByBanks",
    422,
    "The banks declare",
    "Declared by another",
    "/scheme: banks, each for itself, must declare the credits of this scheme.",
    ["schemeCreditsFinal"],
    null,
  ),
  error(
    "declaredByClock",
    422,
    "The clock declares",
    "Not declared by message",
    "/scheme: the clock declares the credits of this scheme.",
    declarations,
    null,
  ),
  error("overRate", 429, "Above the caller's rate", "Too many requests", "You send too many requests a second.", "posts", null),
  error("overConnections", 429, "Too many connections", "Too many requests", "You hold too many connections.", "posts", null),
  error(
    "overShare",
    429,
    "Too much of the caller's is under way",
    "Too many requests",
    "Too many of your requests are under way.",
    "posts",
    null,
  ),
  error("headersTooLarge", 431, "The headers are too large", "Headers too large", "The request was not read to its end.", "all", null),
  error("tooManyQuestions", 429, "Above the caller's rate", "Too many", "You send too many requests a second.", questions, null),
  error("internal", 500, "A fault of Sluice's own", "Internal error", "The message could not be processed.", "all", null),
  error("notStored", 503, "The message was not stored", "Not available now", "The message was not stored. Send it again.", "posts", null),
  error(
    "unknownWhetherStored",
    503,
    "It is not known whether it was stored",
    "Not available now",
    "It is not known whether the message was stored. Send it again as it is.",
    "posts",
    null,
  ),
  error(
    "noTurnInTime",
    503,
    "The message did not get its turn in time",
    "Not available now",
    "Too much is under way: the message was not read in time, and not stored. Send it again.",
    "posts",
    null,
  ),
  error("tooMuch", 503, "Too much is under way", "Not available now", "Too many requests are under way.", "posts", null),
  error(
    "tooManyQuestionsUnderWay",
    503,
    "Too much is under way",
    "Not available now",
    "Too many questions are under way. Ask again.",
    questions,
    null,
  ),
  error(
    "notAnswered",
    503,
    "It cannot be answered now",
    "Not available now",
    "The answer did not come in time. Ask again.",
    questions,
    null,
  ),
];

export function errorsFor(operation: ServedOperationName): readonly DocumentedError[] {
  const isPost = servedOperations.some(({ name, method }) => name === operation && method === "POST");
  return documentedErrors.filter(
    ({ operations }) => operations === "all" || (operations === "posts" ? isPost : operations.includes(operation)),
  );
}

export function errorBody({ message, detail }: Pick<DocumentedError, "message" | "detail">): object {
  return { schema: "ErrorDetail", message, detail };
}

function error(
  name: string,
  status: number,
  summary: string,
  message: string,
  detail: string,
  operations: DocumentedError["operations"],
  provoke: Provocation | null,
): DocumentedError {
  return { name, status, summary, message, detail, operations, provoke, isByIngress: judgedByIngress.has(name) };
}
