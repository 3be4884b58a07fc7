// An operation of the interface: its addresses, who may send it, and the record that its body becomes.

import type { Configuration } from "@sluice/config";
import { servedOperations, type AnyDecodedRecord } from "@sluice/contracts";
import type { Refusal } from "../http/answer.ts";

export interface IngressOperation {
  /** The name in the interface. Banks and connectors both send `creditsFinal`, each at an address of their own. */
  readonly name:
    | "outboundDirectDebit"
    | "inboundDirectDebit"
    | "inboundDirectDebitResponse"
    | "inboundCreditTransferAuthorization"
    | "inboundCreditTransferAuthorizationResponse"
    | "creditsFinal";
  /** The only kind of caller that may send it. */
  readonly sender: "bank" | "connector";
  readonly paths: readonly string[];
  /** Parses and authorizes a request, as a function of its arguments only. It stores nothing. */
  parseAndAuthorize(submission: Submission): IntakeResult;
}

export interface Submission {
  /** Id of the bank or connector that called; it is of the operation's kind. */
  readonly caller: string;
  readonly body: Uint8Array;
  /** When the body was read, epoch milliseconds. */
  readonly receivedAtMs: number;
  readonly configuration: Configuration;
}

export interface MessageSubject {
  /** In lower case. */
  readonly uetr: string;
  readonly messageIdentification: string;
}

/** `subject` is null if the request is about no transaction, or could not be read that far. */
export type IntakeResult =
  | { readonly ok: true; readonly key: string; readonly subject: MessageSubject | null; readonly decoded: AnyDecodedRecord }
  | { readonly ok: false; readonly refusal: Refusal; readonly subject: MessageSubject | null };

/** Finds the addresses and the sender of an operation in the one table of what is served. */
export function findServedOperation(name: (typeof servedOperations)[number]["name"]): Pick<IngressOperation, "paths" | "sender"> {
  const found = servedOperations.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`no served operation ${name}`);
  return { paths: found.paths, sender: found.caller };
}

export function readSubject(message: {
  readonly transactionIdentifiers: { readonly uetr: string };
  readonly messageIdentifiers: { readonly messageIdentification: string };
}): MessageSubject {
  return {
    uetr: message.transactionIdentifiers.uetr.toLowerCase(),
    messageIdentification: message.messageIdentifiers.messageIdentification,
  };
}
