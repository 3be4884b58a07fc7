// Describes the three flows of banks and connectors: how a message of each is built, sent, answered, delivered and
// reported on.

import { machineRandom } from "@sluice/kernel";
import {
  buildCreditTransfer,
  buildDirectDebit,
  buildOffUsDebit,
  buildStatusReport,
  type DeliveredOperation,
  drawFullCreditTransfer,
  drawFullDirectDebit,
  drawUetr,
  type MessageObject,
  otherBankBranch,
  seededRandom,
  type SendResult,
  type StatusReportOptions,
} from "@sluice/testkit";
import { clearingConnectorId, type E2eEnvironment } from "../environment/environment.ts";

export type FlowName = "on-us" | "off-us" | "credit";

interface Flow {
  /** True if the connector sends it; otherwise the bank itself does. */
  readonly isFromConnector: boolean;
  readonly operation: "outboundDirectDebit" | "inboundDirectDebit" | "inboundCreditTransferAuthorization";
  /** The operation that answers its sender. */
  readonly answer: DeliveredOperation;
  /** The operation that delivers it to the bank. */
  readonly inbound: "inboundDirectDebit" | "inboundCreditTransferAuthorization";
  /** The last letter of the identification with which it reaches the bank. */
  readonly letter: "D" | "C";
  /** The states of a transaction that ends well. */
  readonly path: readonly string[];
}

const debitEnd = ["HELD", "RELEASED", "DELIVERED", "COMPLETED"];

export const flows: Readonly<Record<FlowName, Flow>> = {
  "on-us": {
    isFromConnector: false,
    operation: "outboundDirectDebit",
    answer: "outboundDirectDebitResponse",
    inbound: "inboundDirectDebit",
    letter: "D",
    path: ["RECEIVED", "ACCEPTED", "REPORTED", ...debitEnd],
  },
  "off-us": {
    isFromConnector: true,
    operation: "inboundDirectDebit",
    answer: "inboundDirectDebitResponse",
    inbound: "inboundDirectDebit",
    letter: "D",
    path: ["RECEIVED", "ACCEPTED", ...debitEnd],
  },
  credit: {
    isFromConnector: true,
    operation: "inboundCreditTransferAuthorization",
    answer: "inboundCreditTransferAuthorizationResponse",
    inbound: "inboundCreditTransferAuthorization",
    letter: "C",
    path: ["RECEIVED", "ACCEPTED", "DELIVERY_PENDING", "DELIVERED", "RESPONSE_ACCEPTED"].map((state) => `CREDIT_AUTH_${state}`),
  },
};

/** Returns the states of a flow up to one of them. */
export function pathTo(flow: FlowName, state: string): readonly string[] {
  const { path } = flows[flow];
  return path.slice(0, path.indexOf(state) + 1);
}

/** A transaction that a test sends, with its message. */
export interface E2eCase {
  readonly flow: FlowName;
  readonly bank: string;
  readonly branch: string;
  readonly uetr: string;
  readonly messageIdentification: string;
  readonly message: MessageObject;
}

export interface E2eCaseOptions {
  readonly flow: FlowName;
  readonly bank: string;
  readonly branch: string;
  readonly uetr?: string;
  readonly messageIdentification?: string;
  /** The customer's account. */
  readonly account?: string;
  readonly amount?: string;
  readonly scheme?: string;
  /** True for a message with every optional member. */
  readonly isFull?: boolean;
}

let number = 0;
const drawn = seededRandom("every member");

export function createCase(options: E2eCaseOptions): E2eCase {
  number += 1;
  const { flow, bank, branch } = options;
  const { uetr = drawUetr(machineRandom), messageIdentification = `E2E-${String(number).padStart(6, "0")}` } = options;
  const message = buildMessage({ ...options, uetr, messageIdentification });
  return { flow, bank, branch, uetr, messageIdentification, message };
}

function buildMessage({ flow, branch, account, isFull, ...options }: E2eCaseOptions): MessageObject {
  const { bank: _bank, ...common } = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  if (flow === "credit") {
    const credit = { ...common, creditorBranch: branch, ...(account === undefined ? {} : { creditorAccount: account }) };
    return isFull === true ? drawFullCreditTransfer(drawn, credit, 1) : buildCreditTransfer(credit);
  }
  const debit = { ...common, debtorBranch: branch, ...(account === undefined ? {} : { debtorAccount: account }) };
  if (flow === "on-us") return isFull === true ? drawFullDirectDebit(drawn, debit, 1) : buildDirectDebit(debit);
  return isFull === true ? drawFullDirectDebit(drawn, { ...debit, creditorBranch: otherBankBranch }, 1) : buildOffUsDebit(debit);
}

/** Creates another message of the same transaction, with another identification and, if given, another amount. */
export function anotherMessage(known: E2eCase, amount?: string): E2eCase {
  const { flow, bank, branch, uetr } = known;
  return createCase({ flow, bank, branch, uetr, ...(amount === undefined ? {} : { amount }) });
}

export function senderId({ flow, bank }: Pick<E2eCase, "flow" | "bank">): string {
  return flows[flow].isFromConnector ? clearingConnectorId : bank;
}

/** Returns the identification of a message that Sluice sends: 32 hex digits of the UETR and a letter. */
export function outgoingIdentification({ uetr }: Pick<E2eCase, "uetr">, letter: string): string {
  return `${uetr.replaceAll("-", "")}${letter}`;
}

export async function submitCase(environment: E2eEnvironment, { flow, bank, message }: E2eCase): Promise<SendResult> {
  if (flow === "on-us") return await environment.bank(bank).sendDebit(message);
  return flow === "off-us" ? await environment.connector.sendDebit(message) : await environment.connector.sendCredit(message);
}

/** Sends a bank's report on a transaction. The default is the transaction's own bank. */
export async function reportOnCase(
  environment: E2eEnvironment,
  about: Pick<E2eCase, "flow" | "bank" | "uetr">,
  options: Partial<StatusReportOptions> & { readonly by?: string } = {},
): Promise<SendResult> {
  number += 1;
  const { by = about.bank, ...members } = options;
  const message = buildStatusReport({
    uetr: about.uetr,
    messageIdentification: `PSR-${String(number).padStart(6, "0")}`,
    originalMessageIdentification: outgoingIdentification(about, flows[about.flow].letter),
    ...members,
  });
  return about.flow === "credit" ? await environment.bank(by).sendCreditReport(message) : await environment.bank(by).sendReport(message);
}
