// Parses the terms of a search from a query. Each term has a syntax, so that a mistake is reported instead of finding
// nothing.

import { isUnresolved, isTerminal, type Flow, type OrphanState, type State } from "@sluice/domain";
import type { TransactionQuery } from "@sluice/store";
import { isDate } from "../http/control-parameters.ts";
import { isDayKey, parseAmount } from "../views/control-values.ts";

type Term = (text: string) => TransactionQuery | string;

const flows: readonly Flow[] = ["on-us", "off-us", "credit"];

/** Parsers by the name of their term. A returned text says what the term must be. */
const terms: Readonly<Record<string, Term>> = {
  identification: (text) => (/^[!-~][ -~]{0,34}$/.test(text) ? { identification: text } : "1 to 35 printable ASCII characters"),
  sender: (text) => (isPartyId(text) ? { sender: text } : "the id of a bank or connector"),
  bank: (text) => (isPartyId(text) ? { bank: text } : "the id of a bank"),
  flow: (text) => {
    const flow = flows.find((one) => one === text);
    return flow === undefined ? flows.join(", ") : { flow };
  },
  state: (text) => (isState(text) ? { state: text } : "a state, for example HELD or CREDIT_AUTH_DELIVERED"),
  scheme: (text) => (/^[A-Z][A-Z0-9_]{0,34}$/.test(text) ? { scheme: text } : "a scheme code, for example ZA_EFT"),
  businessDate: (text) => (isDate(text) ? { businessDate: text } : "a date, YYYY-MM-DD"),
  dateFrom: (text) => (isDate(text) ? { dateFrom: text } : "a date, YYYY-MM-DD"),
  dateTo: (text) => (isDate(text) ? { dateTo: text } : "a date, YYYY-MM-DD"),
  closesWith: (text) => (isDayKey(text) ? { reconciliationDay: text } : "a day, for example ZA_EFT:2026-11-20"),
  account: (text) => (/^[!-~]{1,4}$/.test(text) ? { accountEnd: text } : "the last four characters of an account, never more"),
  amount: (text) => {
    const amountTenThousandths = parseAmount(text);
    return amountTenThousandths === null ? "an amount, for example 1250.50" : { amountTenThousandths };
  },
  currency: (text) => (/^[A-Z]{3}$/.test(text) ? { currency: text } : "a currency, for example ZAR"),
  reason: (text) => (/^[A-Z0-9]{1,4}$/.test(text) ? { reason: text } : "a reason code, for example AC02"),
  parked: (text) => {
    const isParked = parseFlag(text);
    return isParked === null ? "true or false" : { isQuarantined: isParked };
  },
};

/** Returns a text that says what is wrong. */
export function parseSearchTerms(query: URLSearchParams): TransactionQuery | string {
  let asked: TransactionQuery = {};
  for (const [name, term] of Object.entries(terms)) {
    const text = query.get(name);
    if (text === null) continue;
    const read = term(text);
    if (typeof read === "string") return `${name}: ${read}.`;
    asked = { ...asked, ...read };
  }
  return asked;
}

/** Null: the text is neither true nor false. */
export function parseFlag(text: string): boolean | null {
  if (text === "true") return true;
  return text === "false" ? false : null;
}

export function isPartyId(text: string): boolean {
  return /^[a-z0-9-]{1,32}$/.test(text);
}

function isState(text: string): text is State | OrphanState {
  return isUnresolved(text) || isTerminal(text) || text === "ORPHAN";
}
