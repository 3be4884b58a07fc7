// The parts of a debit or a credit that are validated, whatever its flow: its bank, the accounts to check, and the
// dates that it names.
//
//   flow     sent to                                   accounts checked
//   on-us    the bank of the debtor's agent            debtor's, and creditor's if it is given
//   off-us   the bank that ingress found, by its id    debtor's
//   credit   the bank that ingress found, by its id    creditor's

import { type Bank, type Configuration, findAgentBank, findBank, findScheme, type Scheme } from "@sluice/config";
import type { Amount, DecodedRecord, Institution, PaymentAccount } from "@sluice/contracts";
import type { Flow } from "@sluice/domain";
import { assert } from "@sluice/kernel";

export type ReceivedPayment = DecodedRecord<"DirectDebitReceived"> | DecodedRecord<"CreditTransferReceived">;

export interface Payment {
  readonly flow: Flow;
  readonly sender: string;
  readonly messageIdentification: string;
  readonly contentHash: string;
  readonly receivedAtMs: number;
  readonly scheme: Scheme;
  /** Null: the bank is no longer configured. */
  readonly bank: Bank | null;
  /** The bank that the verdict names; for an on-us debit to an unknown bank the sender. */
  readonly bankId: string;
  readonly amount: Amount;
  readonly sides: readonly AccountSide[];
  readonly requestedCollectionDate: string | null;
  readonly settlementDate: string | null;
}

/** An account to check, with the side of the payment that it is on. */
export interface AccountSide {
  readonly account: "debtor" | "creditor";
  readonly given: PaymentAccount;
  readonly agent: Institution;
  /** The bank that keeps the account. */
  readonly owner: Bank | null;
  readonly direction: "debit" | "credit";
  /** The ISO 20022 reason of a wrong number on this side. */
  readonly code: "AC02" | "AC03";
}

/** Throws if the scheme is not configured or accepts no debits: then the payment cannot be validated. */
export function collectPaymentParts(received: ReceivedPayment, configuration: Configuration): Payment {
  if (received.name === "CreditTransferReceived") return readCredit(received, configuration);
  return received.value.flow === "OFF_US" ? readOffUsDebit(received, configuration) : readOnUsDebit(received, configuration);
}

function readOnUsDebit(received: DecodedRecord<"DirectDebitReceived">, configuration: Configuration): Payment {
  const { sender, debit } = received.value;
  const { creditorAccount, creditorAgent } = debit;
  const debtors = findAgentBank(configuration, debit.debtorAgent);
  const bank = debtors.kind === "known" ? debtors.bank : null;
  const creditors = findAgentBank(configuration, creditorAgent);
  const owner = creditors.kind === "known" ? creditors.bank : null;
  const sides = [
    buildDebtorSide(received, bank),
    ...(creditorAccount === null ? [] : [buildCreditorSide(creditorAccount, creditorAgent, owner ?? bank)]),
  ];
  return { ...readDebitParts(received, configuration), flow: "on-us", bank, bankId: bank?.id ?? sender, sides };
}

function readOffUsDebit(received: DecodedRecord<"DirectDebitReceived">, configuration: Configuration): Payment {
  const { bank: bankId } = received.value;
  assert(bankId !== null, "an off-us debit names its bank");
  const bank = findBank(configuration, bankId) ?? null;
  const sides = [buildDebtorSide(received, bank)];
  return { ...readDebitParts(received, configuration), flow: "off-us", bank, bankId, sides };
}

function readCredit({ value }: DecodedRecord<"CreditTransferReceived">, configuration: Configuration): Payment {
  const { sender, contentHash, receivedAtMs, credit } = value;
  const bank = findBank(configuration, value.bank) ?? null;
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
    sides: [buildCreditorSide(credit.creditorAccount, credit.creditorAgent, bank)],
    requestedCollectionDate: null,
    settlementDate: null,
  };
}

function readDebitParts(
  { value }: DecodedRecord<"DirectDebitReceived">,
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

function buildDebtorSide({ value: { debit } }: DecodedRecord<"DirectDebitReceived">, owner: Bank | null): AccountSide {
  return { account: "debtor", given: debit.debtorAccount, agent: debit.debtorAgent, owner, direction: "debit", code: "AC02" };
}

function buildCreditorSide(given: PaymentAccount, agent: Institution, owner: Bank | null): AccountSide {
  return { account: "creditor", given, agent, owner, direction: "credit", code: "AC03" };
}

function requireScheme(configuration: Configuration, id: string): Scheme {
  const scheme = findScheme(configuration, id);
  assert(scheme !== undefined, "ingress takes messages of configured schemes only");
  return scheme;
}
