// What is judged of a debit or a credit, whatever its flow: whose it is, which accounts are asked, which dates it names.
//
//   flow     sent to                                   accounts asked
//   on-us    the bank of the debtor's agent            debtor's, and creditor's where it is given
//   off-us   the bank that ingress found, by its id    debtor's
//   credit   the bank that ingress found, by its id    creditor's

import { bankOfAgent, schemeOf } from "@sluice/config";
import type { Bank, Configuration, Scheme } from "@sluice/config";
import type { Amount, Decoded, Institution, PaymentAccount } from "@sluice/contracts";
import type { Flow } from "@sluice/domain";
import { assert } from "@sluice/runtime";

export type ReceivedPayment = Decoded<"DirectDebitReceived"> | Decoded<"CreditTransferReceived">;

export interface Payment {
  readonly flow: Flow;
  readonly sender: string;
  readonly messageIdentification: string;
  readonly contentHash: string;
  readonly receivedAtMs: number;
  readonly scheme: Scheme;
  /** Null: it is not configured any more. */
  readonly bank: Bank | null;
  /** Who the verdict names; of an on-us debit to an unknown bank the sender. */
  readonly bankId: string;
  readonly amount: Amount;
  readonly sides: readonly AccountSide[];
  readonly requestedCollectionDate: string | null;
  readonly settlementDate: string | null;
}

/** An account that is asked. */
export interface AccountSide {
  readonly account: "debtor" | "creditor";
  readonly given: PaymentAccount;
  readonly agent: Institution;
  /** Bank that keeps the account. */
  readonly owner: Bank | null;
  readonly direction: "debit" | "credit";
  /** ISO 20022 reason of a wrong number on this side. */
  readonly code: "AC02" | "AC03";
}

/** Throws where the scheme is not configured, or takes no debits: nobody can judge it. */
export function paymentIn(received: ReceivedPayment, configuration: Configuration): Payment {
  if (received.name === "CreditTransferReceived") return creditIn(received, configuration);
  return received.value.flow === "OFF_US" ? offUsIn(received, configuration) : onUsIn(received, configuration);
}

function onUsIn(received: Decoded<"DirectDebitReceived">, configuration: Configuration): Payment {
  const { sender, debit } = received.value;
  const { creditorAccount, creditorAgent } = debit;
  const debtors = bankOfAgent(configuration.banks, debit.debtorAgent);
  const bank = debtors.kind === "known" ? debtors.bank : null;
  const creditors = bankOfAgent(configuration.banks, creditorAgent);
  const owner = creditors.kind === "known" ? creditors.bank : null;
  const sides = [
    debtorSide(received, bank),
    ...(creditorAccount === null ? [] : [creditorSide(creditorAccount, creditorAgent, owner ?? bank)]),
  ];
  return { ...debitPart(received, configuration), flow: "on-us", bank, bankId: bank?.id ?? sender, sides };
}

function offUsIn(received: Decoded<"DirectDebitReceived">, configuration: Configuration): Payment {
  const bank = bankNamed(configuration, received.value.bank);
  const sides = [debtorSide(received, bank)];
  return { ...debitPart(received, configuration), flow: "off-us", bank, bankId: received.value.bank, sides };
}

function creditIn({ value }: Decoded<"CreditTransferReceived">, configuration: Configuration): Payment {
  const { sender, contentHash, receivedAtMs, credit } = value;
  const bank = bankNamed(configuration, value.bank);
  return {
    flow: "credit",
    sender,
    contentHash,
    receivedAtMs,
    messageIdentification: credit.messageIdentifiers.messageIdentification,
    scheme: requireScheme(configuration, credit.paymentScheme.schema),
    bank,
    bankId: value.bank,
    amount: credit.amounts.bankSettlementAmount,
    sides: [creditorSide(credit.creditorAccount, credit.creditorAgent, bank)],
    requestedCollectionDate: null,
    settlementDate: null,
  };
}

function debitPart(
  { value }: Decoded<"DirectDebitReceived">,
  configuration: Configuration,
): Omit<Payment, "flow" | "bank" | "bankId" | "sides"> {
  const { sender, contentHash, receivedAtMs, debit } = value;
  const scheme = requireScheme(configuration, debit.paymentScheme.schema);
  assert(scheme.takesDebits, "ingress takes debits of schemes that have windows only");
  return {
    sender,
    contentHash,
    receivedAtMs,
    messageIdentification: debit.messageIdentifiers.messageIdentification,
    scheme,
    amount: debit.amounts.bankSettlementAmount,
    requestedCollectionDate: debit.requestedCollectionDate,
    settlementDate: debit.settlementDate,
  };
}

function debtorSide({ value: { debit } }: Decoded<"DirectDebitReceived">, owner: Bank | null): AccountSide {
  return { account: "debtor", given: debit.debtorAccount, agent: debit.debtorAgent, owner, direction: "debit", code: "AC02" };
}

function creditorSide(given: PaymentAccount, agent: Institution, owner: Bank | null): AccountSide {
  return { account: "creditor", given, agent, owner, direction: "credit", code: "AC03" };
}

function requireScheme(configuration: Configuration, id: string): Scheme {
  const scheme = schemeOf(configuration, id);
  assert(scheme !== undefined, "ingress takes messages of configured schemes only");
  return scheme;
}

function bankNamed(configuration: Configuration, id: string): Bank | null {
  return configuration.banks.find((bank) => bank.id === id) ?? null;
}
