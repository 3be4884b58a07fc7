// An operation of the interface as ingress sees it: where it is posted, by whom, and what a body of it becomes in the journal.

import type { Configuration } from "@sluice/config";
import { servedOperations, type AnyDecoded } from "@sluice/contracts";
import type { Refusal } from "./answer.ts";

export interface Operation {
  /** As the interface calls it; `creditsFinal` is said by banks and by connectors, each at an own address. */
  readonly name:
    | "outboundDirectDebit"
    | "inboundDirectDebit"
    | "inboundDirectDebitResponse"
    | "inboundCreditTransferAuthorization"
    | "inboundCreditTransferAuthorizationResponse"
    | "creditsFinal";
  /** Nobody else may send it. */
  readonly sender: "bank" | "connector";
  readonly paths: readonly string[];
  /** A function of its arguments alone: nothing is stored, whatever it says. */
  judge(submission: Submission): Judgement;
}

export interface Submission {
  /** Configured id of the bank or connector that called; of the operation's kind. */
  readonly caller: string;
  readonly body: Uint8Array;
  /** When the body had been read, epoch milliseconds. */
  readonly receivedAtMs: number;
  readonly configuration: Configuration;
}

export interface Subject {
  /** Lower case. */
  readonly uetr: string;
  readonly messageIdentification: string;
}

/** Null: it concerns no transaction, or could not be read that far. */
export type Judgement =
  | { readonly ok: true; readonly key: string; readonly subject: Subject | null; readonly decoded: AnyDecoded }
  | { readonly ok: false; readonly refusal: Refusal; readonly subject: Subject | null };

/** Addresses and sender of an operation, from the one table of what may be called. */
export function served(name: (typeof servedOperations)[number]["name"]): Pick<Operation, "paths" | "sender"> {
  const found = servedOperations.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`no served operation ${name}`);
  return { paths: found.paths, sender: found.caller };
}

export function subjectOf(message: {
  readonly transactionIdentifiers: { readonly uetr: string };
  readonly messageIdentifiers: { readonly messageIdentification: string };
}): Subject {
  return {
    uetr: message.transactionIdentifiers.uetr.toLowerCase(),
    messageIdentification: message.messageIdentifiers.messageIdentification,
  };
}
