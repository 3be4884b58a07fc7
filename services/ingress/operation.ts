// An operation of the interface as ingress sees it: where it is posted, and what a body of it becomes in the journal.

import type { Configuration } from "@sluice/config";
import type { AnyDecoded } from "@sluice/contracts";
import type { Refusal } from "./answer.ts";

export interface Operation {
  readonly name: "outboundDirectDebit" | "inboundDirectDebitResponse";
  readonly paths: readonly string[];
  /** A function of its arguments alone: nothing is stored, whatever it says. */
  judge(submission: Submission): Judgement;
}

export interface Submission {
  /** Configured id of the bank that called. */
  readonly caller: string;
  readonly body: Uint8Array;
  /** When the body had been read, epoch milliseconds. */
  readonly receivedAtMs: number;
  readonly configuration: Configuration;
}

export interface Subject {
  /** Lower case: the key of the record. */
  readonly uetr: string;
  readonly messageIdentification: string;
}

export type Judgement =
  | { readonly ok: true; readonly subject: Subject; readonly decoded: AnyDecoded }
  | { readonly ok: false; readonly refusal: Refusal; readonly subject: Subject | null };
