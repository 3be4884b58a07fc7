// Reconciliation items as an ISO 20022 message: pacs.002.001.10, FIToFIPaymentStatusReport, one TxInfAndSts for each item. It says of each
// original what is known: PDNG while nobody has found out, ACSC for one that people found made, RJCT for one not made or replaced.
//
// #1 The reason is NARR: row, cause and state in words, then what people wrote, in texts of at most 105 characters.
// #2 OrgnlUETR takes a UUID of version 4 only; another one is named in the text.
// #3 Where the item only stands beside an ended state (the connector has not taken the outcome), the status is that of the state, left out
//    where the state does not tell it.

import { maskedText } from "./reconciliation-csv.ts";
import type { ReconciliationRow } from "./reconciliation-rows.ts";
import { element, optional, xmlText, type Xml } from "./xml-text.ts";

export const pacs002Namespace = "urn:iso:std:iso:20022:tech:xsd:pacs.002.001.10";

const additionalCharactersMax = 105;

export interface ReportHead {
  /** At most 35 characters. */
  readonly messageIdentification: string;
  /** UTC. */
  readonly createdAt: string;
}

/** Everything before the first transaction. */
export function pacs002Begin({ messageIdentification, createdAt }: ReportHead): string {
  const head = element("GrpHdr", [element("MsgId", messageIdentification), element("CreDtTm", createdAt)]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${pacs002Namespace}">\n  <FIToFIPmtStsRpt>\n${xmlText(head, "    ")}`;
}

export const pacs002End = "  </FIToFIPmtStsRpt>\n</Document>\n";

export function pacs002Of(row: ReconciliationRow): string {
  return xmlText(transactionOf(row), "    ");
}

function transactionOf(row: ReconciliationRow): Xml {
  const isVersion4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(row.uetr);
  return element("TxInfAndSts", [
    originalGroupOf(row),
    optional("OrgnlInstrId", row.instructionIdentification),
    optional("OrgnlEndToEndId", row.endToEndIdentification),
    optional("OrgnlTxId", row.transactionIdentification),
    optional("OrgnlUETR", isVersion4 ? row.uetr : null),
    optional("TxSts", statusOf(row)),
    reasonOf(row, isVersion4 ? [] : [`UETR ${row.uetr}`]),
    element("OrgnlTxRef", [element("IntrBkSttlmAmt", row.amount, { Ccy: row.currency }), optional("IntrBkSttlmDt", row.businessDate)]),
  ]);
}

function originalGroupOf({ messageIdentification, flow }: ReconciliationRow): Xml | null {
  if (messageIdentification === null) return null;
  return element("OrgnlGrpInf", [
    element("OrgnlMsgId", messageIdentification),
    element("OrgnlMsgNmId", flow === "credit" ? "pacs.008" : "pacs.003"),
  ]);
}

/** #3 */
const statusBeside: Readonly<Record<string, string>> = {
  COMPLETED: "ACSC",
  UNPAID: "RJCT",
  REJECTED: "RJCT",
  REJECTION_REPORTED: "RJCT",
  CREDIT_AUTH_REJECTED: "RJCT",
  CREDIT_AUTH_DELIVERY_FAILURE: "RJCT",
};

function statusOf({ cause, transactionState, resolution }: ReconciliationRow): string | null {
  if (cause === "OUTCOME_UNDELIVERED") return statusBeside[transactionState] ?? null;
  if (resolution?.isFinal !== true) return "PDNG";
  return resolution.kind === "MADE" ? "ACSC" : "RJCT";
}

/** #1 */
function reasonOf({ row, cause, state, resolution }: ReconciliationRow, more: readonly string[]): Xml {
  const words = [`row ${row ?? "not known yet"}`, cause, `in ${state}`].filter((word) => word !== null).join(", ");
  const resolved = resolution === null ? [] : [resolutionWords(resolution), maskedText(resolution.action.reason)];
  const texts = [...more, words, ...resolved].flatMap(piecesOf);
  return element("StsRsnInf", [element("Rsn", [element("Cd", "NARR")]), ...texts.map((text) => element("AddtlInf", text))]);
}

function resolutionWords({ kind, replacedBy, isFinal, action }: NonNullable<ReconciliationRow["resolution"]>): string {
  const by = replacedBy === null ? "" : ` by ${replacedBy}`;
  return `${isFinal ? "resolved" : "proposed"}: ${kind}${by}, by ${action.operator}`;
}

function piecesOf(text: string): readonly string[] {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / additionalCharactersMax);
  return Array.from({ length: count }, (_, index) =>
    characters.slice(index * additionalCharactersMax, (index + 1) * additionalCharactersMax).join(""),
  );
}
