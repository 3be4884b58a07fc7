// Defines a hostile case: bytes on a connection, and the answers that must come back.

import {
  encodeBody,
  buildCreditsFinal,
  buildCreditTransfer,
  buildDirectDebit,
  sampleToken,
  buildStatusReport,
  type MessageObject,
} from "@sluice/testkit";
import type { RawExchange } from "./raw-http.ts";

export interface HostileCase extends RawExchange {
  /** Short and unique; it appears in the message of a failure. */
  readonly id: string;
  /**
   * The status of each answer, in order. Empty if the connection must close without an answer, because none could be
   * attributed.
   */
  readonly expected: readonly number[];
  /** A text that the detail of the first answer must contain. */
  readonly detail?: string;
}

export const debitPath = "/transactions/outbound/direct-debit";

export interface HostileRequest {
  readonly path?: string;
  readonly party?: string;
  readonly body?: Uint8Array | string;
  /** Headers that replace the usual ones; undefined removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Additional header lines. */
  readonly lines?: readonly string[];
  readonly method?: string;
  readonly version?: string;
}

/** Builds the bytes of a request that is valid except for the given parts. */
export function hostileRequest(posting: HostileRequest = {}): Buffer {
  const body = Buffer.from(posting.body ?? goodDebitText);
  const headers = {
    host: "ingress.example",
    authorization: `Bearer ${sampleToken(posting.party ?? "first")}`,
    "content-type": "application/json",
    "content-length": String(body.byteLength),
    ...posting.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  const line = `${posting.method ?? "POST"} ${posting.path ?? debitPath} ${posting.version ?? "HTTP/1.1"}`;
  const head = [line, ...lines, ...(posting.lines ?? []), "", ""].join("\r\n");
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}

export const goodDebitText = encodeText(buildDirectDebit());

export const hostileMessages: readonly { readonly name: string; readonly path: string; readonly party: string; readonly body: string }[] = [
  { name: "debit", path: debitPath, party: "first", body: goodDebitText },
  { name: "off-us", path: "/scheme/inbound/direct-debit", party: "clearing", body: goodDebitText },
  { name: "credit", path: "/scheme/inbound/credit-transfer-authorisation", party: "clearing", body: encodeText(buildCreditTransfer()) },
  { name: "report", path: "/transactions/inbound/direct-debit-response", party: "first", body: encodeText(buildStatusReport()) },
  { name: "final", path: "/scheme/credits-final", party: "clearing", body: encodeText(buildCreditsFinal()) },
];

function encodeText(message: MessageObject): string {
  return Buffer.from(encodeBody(message)).toString();
}
