// Writes event postings as JSON text. Members are written in the order in which they are listed here.

import type * as wire from "../../generated/records.ts";
import type { ShownState } from "./state-table.ts";
import {
  type JsonWriter,
  writeMessage,
  writeNumber,
  writeObject,
  writeOnce,
  writeOpenObject,
  writeText,
  writeToken,
} from "../json/write-json.ts";

type EventIdentifiers = Pick<wire.TransactionIdentifiers, "endToEndIdentification" | "transactionIdentification" | "uetr">;

export interface TransactionInfo {
  readonly direction: string;
  readonly paymentType: string;
  readonly recordType: string;
  readonly returnType: string | null;
  readonly subService: string | null;
}

/** The first members of a TRANSACTION_STATE posting: the same in all of one type. */
export interface EventHead {
  readonly name: string;
  readonly apiVersion: string;
  readonly class: string;
  readonly type: string;
}

/** The members of a TRANSACTION_STATE posting behind its head, without the payload. */
export interface EventDocument {
  readonly stageVersion: number;
  readonly actionDate: string | null;
  readonly creationDateTime: string | null;
  readonly tranInfo: { readonly tranUetr: string; readonly direction: string; readonly paymentScheme: string; readonly service: string };
  readonly messageInfo: {
    readonly messageIdentification: string;
    readonly creationDateTime: string;
    readonly httpStatusCode: number | null;
  };
  readonly identifiers: EventIdentifiers | null;
  readonly state: ShownState | null;
  readonly transactionInfo: TransactionInfo | null;
}

/** The payment record of an ESM_STATE posting. `amount` is in minor units, as the text of an integer. */
export interface PaymentRecord {
  readonly recordIdentifier: string;
  readonly actionDate: string;
  readonly amount: string;
  readonly homingAccount: string | null;
  readonly homingAccountName: string | null;
  readonly homingBranch: string | null;
  readonly homingInstitution: string | null;
  readonly userAccount: string | null;
  readonly userBranch: string | null;
  readonly userReference: string | null;
}

export interface EsmEventDocument {
  readonly apiVersion: string;
  readonly class: string;
  readonly actionDate: string;
  readonly creationDateTime: string;
  readonly eftDataRecord: PaymentRecord | null;
  readonly identifiers: EventIdentifiers & { readonly matchingKey: string };
  readonly state: ShownState;
  readonly transactionInfo: TransactionInfo;
}

const shownState = writeOnce(writeObject<ShownState>({ financialTransactionState: writeText, transactionState: writeText }));
const transactionInfo = writeObject<TransactionInfo>({
  direction: writeText,
  paymentType: writeText,
  recordType: writeText,
  returnType: writeText,
  subService: writeText,
});

const eventHead = writeObject<EventHead>({ name: writeText, apiVersion: writeText, class: writeText, type: writeText });

/** The beginning of every posting of a type. */
export function writeEventHead(head: EventHead): string {
  return eventHead(head).slice(0, -1);
}

const eventMembers = writeOpenObject<EventDocument>({
  stageVersion: writeNumber,
  actionDate: writeText,
  creationDateTime: writeText,
  tranInfo: writeObject<EventDocument["tranInfo"]>({
    tranUetr: writeText,
    direction: writeText,
    paymentScheme: writeText,
    service: writeText,
  }),
  messageInfo: writeObject<EventDocument["messageInfo"]>({
    messageIdentification: writeText,
    creationDateTime: writeText,
    httpStatusCode: writeNumber,
  }),
  // A transaction shows the same ones in all of its events.
  identifiers: writeOnce(
    writeObject<EventIdentifiers>({ endToEndIdentification: writeText, transactionIdentification: writeText, uetr: writeText }),
  ),
  state: shownState,
  transactionInfo,
});

/** The texts of a TRANSACTION_STATE posting, in order. `payload` is finished JSON text. */
export function eventTexts(head: string, document: EventDocument, payload: string | null): readonly string[] {
  const text = eventMembers(head, document);
  return payload === null ? [text, "}"] : [text, ',"payload":', payload, "}"];
}

export const esmEventText: JsonWriter<EsmEventDocument> = writeObject<EsmEventDocument>({
  apiVersion: writeText,
  class: writeText,
  actionDate: writeText,
  creationDateTime: writeText,
  eftDataRecord: writeMessage(
    "PaymentRecord",
    writeObject<PaymentRecord>({
      recordIdentifier: writeText,
      actionDate: writeText,
      amount: writeToken,
      homingAccount: writeText,
      homingAccountName: writeText,
      homingBranch: writeText,
      homingInstitution: writeText,
      userAccount: writeText,
      userBranch: writeText,
      userReference: writeText,
    }),
  ),
  identifiers: writeObject<EsmEventDocument["identifiers"]>({
    endToEndIdentification: writeText,
    matchingKey: writeText,
    transactionIdentification: writeText,
    uetr: writeText,
  }),
  state: shownState,
  transactionInfo,
});
