// The three flows, as a bank and a connector speak them: how a message of each is built, sent, answered, delivered and reported on.

import { machineRandom } from "@sluice/runtime";
import {
  creditTransfer,
  directDebit,
  fullCreditTransfer,
  fullDirectDebit,
  offUsDebit,
  otherBranch,
  seededRandom,
  statusReport,
  uetrFrom,
} from "@sluice/testkit";
import type { BankOperation, JsonObject, SendEnd, StatusReportOptions } from "@sluice/testkit";
import { connectorId } from "./world.ts";
import type { World } from "./world.ts";

export type FlowName = "on-us" | "off-us" | "credit";

interface Flow {
  /** It comes from the connector; otherwise from the bank itself. */
  readonly isFromConnector: boolean;
  readonly operation: "outboundDirectDebit" | "inboundDirectDebit" | "inboundCreditTransferAuthorization";
  /** How its sender is answered. */
  readonly answer: BankOperation;
  /** How it reaches the bank. */
  readonly inbound: "inboundDirectDebit" | "inboundCreditTransferAuthorization";
  /** Last of the identification that it reaches the bank under. */
  readonly letter: "D" | "C";
  /** The states of one that goes well. */
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

/** The states up to one of them. */
export function pathTo(flow: FlowName, state: string): readonly string[] {
  const { path } = flows[flow];
  return path.slice(0, path.indexOf(state) + 1);
}

/** A transaction that a test sends: where it goes and what it was. */
export interface Case {
  readonly flow: FlowName;
  readonly bank: string;
  readonly branch: string;
  readonly uetr: string;
  readonly messageIdentification: string;
  readonly message: JsonObject;
}

export interface CaseOptions {
  readonly flow: FlowName;
  readonly bank: string;
  readonly branch: string;
  readonly uetr?: string;
  readonly messageIdentification?: string;
  /** Of the customer. */
  readonly account?: string;
  readonly amount?: string;
  readonly scheme?: string;
  /** With every member that it may have. */
  readonly isFull?: boolean;
}

let number = 0;
const drawn = seededRandom("every member");

export function newCase(options: CaseOptions): Case {
  number += 1;
  const { flow, bank, branch } = options;
  const { uetr = uetrFrom(machineRandom), messageIdentification = `E2E-${String(number).padStart(6, "0")}` } = options;
  const message = messageOf({ ...options, uetr, messageIdentification });
  return { flow, bank, branch, uetr, messageIdentification, message };
}

function messageOf({ flow, branch, account, isFull, ...options }: CaseOptions): JsonObject {
  const { bank: _bank, ...common } = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  if (flow === "credit") {
    const credit = { ...common, creditorBranch: branch, ...(account === undefined ? {} : { creditorAccount: account }) };
    return isFull === true ? fullCreditTransfer(drawn, credit, 1) : creditTransfer(credit);
  }
  const debit = { ...common, debtorBranch: branch, ...(account === undefined ? {} : { debtorAccount: account }) };
  if (flow === "on-us") return isFull === true ? fullDirectDebit(drawn, debit, 1) : directDebit(debit);
  return isFull === true ? fullDirectDebit(drawn, { ...debit, creditorBranch: otherBranch }, 1) : offUsDebit(debit);
}

/** The same transaction in another message: another identification, and another amount where one is given. */
export function anotherMessage(known: Case, amount?: string): Case {
  const { flow, bank, branch, uetr } = known;
  return newCase({ flow, bank, branch, uetr, ...(amount === undefined ? {} : { amount }) });
}

export function senderOf({ flow, bank }: Pick<Case, "flow" | "bank">): string {
  return flows[flow].isFromConnector ? connectorId : bank;
}

/** Of what Sluice sends about it: 32 hex digits of the UETR and a letter. */
export function identificationOf({ uetr }: Pick<Case, "uetr">, letter: string): string {
  return `${uetr.replaceAll("-", "")}${letter}`;
}

export async function post(world: World, { flow, bank, message }: Case): Promise<SendEnd> {
  if (flow === "on-us") return await world.bank(bank).sendDebit(message);
  return flow === "off-us" ? await world.connector.sendDebit(message) : await world.connector.sendCredit(message);
}

/** What a bank says became of it; by its own bank if no other is named. */
export async function report(
  world: World,
  about: Pick<Case, "flow" | "bank" | "uetr">,
  options: Partial<StatusReportOptions> & { readonly by?: string } = {},
): Promise<SendEnd> {
  number += 1;
  const { by = about.bank, ...members } = options;
  const message = statusReport({
    uetr: about.uetr,
    messageIdentification: `PSR-${String(number).padStart(6, "0")}`,
    originalMessageIdentification: identificationOf(about, flows[about.flow].letter),
    ...members,
  });
  return about.flow === "credit" ? await world.bank(by).sendCreditReport(message) : await world.bank(by).sendReport(message);
}
