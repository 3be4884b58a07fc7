// Event postings as JSON text. The order of members is the order in which they are written.

import type * as wire from "./generated/records.ts";
import type { ShownState } from "./state-table.ts";
import { message, number, object, text, token } from "./write-json.ts";
import type { Write } from "./write-json.ts";

export type EventIdentifiers = Pick<wire.TransactionIdentifiers, "endToEndIdentification" | "transactionIdentification" | "uetr">;

export interface TransactionInfo {
  readonly direction: string;
  readonly paymentType: string;
  readonly recordType: string;
  readonly returnType: string | null;
  readonly subService: string | null;
}

/** The members of a TRANSACTION_STATE posting; `payload` is finished text. */
export interface EventDocument {
  readonly name: string;
  readonly apiVersion: string;
  readonly class: string;
  readonly type: string;
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
  readonly payload: string | null;
}

/** What an ESM_STATE posting says of the payment. `amount` is in minor units, as text of an integer. */
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

const shownState = object<ShownState>({ financialTransactionState: text, transactionState: text });
const transactionInfo = object<TransactionInfo>({
  direction: text,
  paymentType: text,
  recordType: text,
  returnType: text,
  subService: text,
});

export const eventText: Write<EventDocument> = object<EventDocument>({
  name: text,
  apiVersion: text,
  class: text,
  type: text,
  stageVersion: number,
  actionDate: text,
  creationDateTime: text,
  tranInfo: object<EventDocument["tranInfo"]>({ tranUetr: text, direction: text, paymentScheme: text, service: text }),
  messageInfo: object<EventDocument["messageInfo"]>({ messageIdentification: text, creationDateTime: text, httpStatusCode: number }),
  identifiers: object<EventIdentifiers>({ endToEndIdentification: text, transactionIdentification: text, uetr: text }),
  state: shownState,
  transactionInfo,
  payload: token,
});

export const esmEventText: Write<EsmEventDocument> = object<EsmEventDocument>({
  apiVersion: text,
  class: text,
  actionDate: text,
  creationDateTime: text,
  eftDataRecord: message<PaymentRecord>("PaymentRecord", {
    recordIdentifier: text,
    actionDate: text,
    amount: token,
    homingAccount: text,
    homingAccountName: text,
    homingBranch: text,
    homingInstitution: text,
    userAccount: text,
    userBranch: text,
    userReference: text,
  }),
  identifiers: object<EsmEventDocument["identifiers"]>({
    endToEndIdentification: text,
    matchingKey: text,
    transactionIdentification: text,
    uetr: text,
  }),
  state: shownState,
  transactionInfo,
});
