// Writes reconciliation items as an ISO 20022 message: pacs.002.001.10, FIToFIPaymentStatusReport, with one TxInfAndSts
// for each item. The status says what is known of the original: PDNG while nobody has found out, ACSC if people found
// it settled, RJCT if they found it not settled or replaced.
//
// #1 The reason is NARR: row, cause and state in words, then what people wrote, in texts of at most 105 characters.
// #2 OrgnlUETR accepts only a UUID of version 4; another UETR is named in the text.
// #3 A detached item (the connector has not acknowledged the outcome report) has the status of the transaction's final
//    state; it is left out if the state does not determine it.

import { maskNumbers } from "@sluice/kernel";
import type { ReconciliationRow } from "./reconciliation-rows.ts";
import { xmlElement, optionalXmlElement, renderXml, type Xml } from "./xml-text.ts";

export const pacs002Namespace = "urn:iso:std:iso:20022:tech:xsd:pacs.002.001.10";

const additionalCharactersMax = 105;

export interface Pacs002Head {
  /** At most 35 characters. */
  readonly messageIdentification: string;
  /** UTC text. */
  readonly createdAt: string;
}

/** The text before the first transaction. */
export function pacs002Begin({ messageIdentification, createdAt }: Pacs002Head): string {
  const head = xmlElement("GrpHdr", [xmlElement("MsgId", messageIdentification), xmlElement("CreDtTm", createdAt)]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${pacs002Namespace}">\n  <FIToFIPmtStsRpt>\n${renderXml(head, "    ")}`;
}

export const pacs002End = "  </FIToFIPmtStsRpt>\n</Document>\n";

export function pacs002Transaction(row: ReconciliationRow): string {
  return renderXml(buildTransaction(row), "    ");
}

function buildTransaction(row: ReconciliationRow): Xml {
  const isVersion4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(row.uetr);
  return xmlElement("TxInfAndSts", [
    buildOriginalGroup(row),
    optionalXmlElement("OrgnlInstrId", row.instructionIdentification),
    optionalXmlElement("OrgnlEndToEndId", row.endToEndIdentification),
    optionalXmlElement("OrgnlTxId", row.transactionIdentification),
    optionalXmlElement("OrgnlUETR", isVersion4 ? row.uetr : null),
    optionalXmlElement("TxSts", determineStatus(row)),
    buildReason(row, isVersion4 ? [] : [`UETR ${row.uetr}`]),
    xmlElement("OrgnlTxRef", [
      xmlElement("IntrBkSttlmAmt", row.amount, { Ccy: row.currency }),
      optionalXmlElement("IntrBkSttlmDt", row.businessDate),
    ]),
  ]);
}

function buildOriginalGroup({ messageIdentification, flow }: ReconciliationRow): Xml | null {
  if (messageIdentification === null) return null;
  return xmlElement("OrgnlGrpInf", [
    xmlElement("OrgnlMsgId", messageIdentification),
    xmlElement("OrgnlMsgNmId", flow === "credit" ? "pacs.008" : "pacs.003"),
  ]);
}

/** #3 */
const detachedStatus: Readonly<Record<string, string>> = {
  COMPLETED: "ACSC",
  UNPAID: "RJCT",
  REJECTED: "RJCT",
  REJECTION_REPORTED: "RJCT",
  CREDIT_AUTH_REJECTED: "RJCT",
  CREDIT_AUTH_DELIVERY_FAILURE: "RJCT",
};

function determineStatus({ cause, transactionState, resolution }: ReconciliationRow): string | null {
  if (cause === "OUTCOME_UNDELIVERED") return detachedStatus[transactionState] ?? null;
  if (resolution?.isFinal !== true) return "PDNG";
  return resolution.kind === "MADE" ? "ACSC" : "RJCT";
}

/** #1 */
function buildReason({ row, cause, state, resolution }: ReconciliationRow, more: readonly string[]): Xml {
  const words = [`row ${row ?? "not known yet"}`, cause, `in ${state}`].filter((word) => word !== null).join(", ");
  const resolved = resolution === null ? [] : [resolutionWords(resolution), maskNumbers(resolution.action.reason)];
  const texts = [...more, words, ...resolved].flatMap(splitText);
  return xmlElement("StsRsnInf", [xmlElement("Rsn", [xmlElement("Cd", "NARR")]), ...texts.map((text) => xmlElement("AddtlInf", text))]);
}

function resolutionWords({ kind, replacedBy, isFinal, action }: NonNullable<ReconciliationRow["resolution"]>): string {
  const by = replacedBy === null ? "" : ` by ${replacedBy}`;
  return `${isFinal ? "resolved" : "proposed"}: ${kind}${by}, by ${action.operator}`;
}

function splitText(text: string): readonly string[] {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / additionalCharactersMax);
  return Array.from({ length: count }, (_, index) =>
    characters.slice(index * additionalCharactersMax, (index + 1) * additionalCharactersMax).join(""),
  );
}
