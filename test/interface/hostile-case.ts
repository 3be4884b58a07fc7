// One hostile case: bytes on a connection, and what must come back.

import { bodyOf, creditsFinal, creditTransfer, directDebit, sampleToken, statusReport, type JsonObject } from "@sluice/testkit";
import type { RawExchange } from "./raw-http.ts";

export interface HostileCase extends RawExchange {
  /** Short, unique: it stands in the message of a failure. */
  readonly id: string;
  /** The status of each answer, in order. Empty: the connection is closed without one, where no answer could be told from another's. */
  readonly expected: readonly number[];
  /** A text that must stand in the detail of the first answer. */
  readonly detail?: string;
}

export const debitPath = "/transactions/outbound/direct-debit";

export interface Posting {
  readonly path?: string;
  readonly party?: string;
  readonly body?: Uint8Array | string;
  /** Headers in place of the usual ones; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Whole header lines in addition. */
  readonly lines?: readonly string[];
  readonly method?: string;
  readonly version?: string;
}

/** The bytes of a request: a good one, but for what is asked otherwise. */
export function request(posting: Posting = {}): Buffer {
  const body = Buffer.from(posting.body ?? goodDebit);
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

export const goodDebit = text(directDebit());

export const messages: readonly { readonly name: string; readonly path: string; readonly party: string; readonly body: string }[] = [
  { name: "debit", path: debitPath, party: "first", body: goodDebit },
  { name: "off-us", path: "/scheme/inbound/direct-debit", party: "clearing", body: goodDebit },
  { name: "credit", path: "/scheme/inbound/credit-transfer-authorisation", party: "clearing", body: text(creditTransfer()) },
  { name: "report", path: "/transactions/inbound/direct-debit-response", party: "first", body: text(statusReport()) },
  { name: "final", path: "/scheme/credits-final", party: "clearing", body: text(creditsFinal()) },
];

export function text(message: JsonObject): string {
  return Buffer.from(bodyOf(message)).toString();
}
