// Parses the terms of a search from a query. Each term has a syntax, so that a mistake is reported instead of finding
// nothing.

import { isUnresolved, isTerminal, observationKinds, type Flow, type OrphanState, type State } from "@sluice/domain";
import { searchTerms, type SearchTermName } from "@sluice/contracts";
import type { TransactionQuery } from "@sluice/store";
import { isDate } from "../http/control-parameters.ts";
import { isDayKey, parseAmount, parseInstant } from "../views/control-values.ts";

const flows: readonly Flow[] = ["on-us", "off-us", "credit"];

/** Parses the text of each term; null: it does not have the term's form. */
const parsers: Readonly<Record<SearchTermName, (text: string) => TransactionQuery | null>> = {
  identification: (text) => (/^[!-~][ -~]{0,34}$/.test(text) ? { identification: text } : null),
  identificationStart: (text) => (/^[!-~][ -~]{5,34}$/.test(text) ? { identificationStart: text } : null),
  sender: (text) => (isPartyId(text) ? { sender: text } : null),
  bank: (text) => (isPartyId(text) ? { bank: text } : null),
  flow: (text) => {
    const flow = flows.find((one) => one === text);
    return flow === undefined ? null : { flow };
  },
  state: (text) => (isState(text) ? { state: text } : null),
  scheme: (text) => (/^[A-Z][A-Z0-9_]{0,34}$/.test(text) ? { scheme: text } : null),
  businessDate: (text) => (isDate(text) ? { businessDate: text } : null),
  dateFrom: (text) => (isDate(text) ? { dateFrom: text } : null),
  dateTo: (text) => (isDate(text) ? { dateTo: text } : null),
  reconciliationDay: (text) => (isDayKey(text) ? { reconciliationDay: text } : null),
  account: (text) => (/^[!-~]{1,4}$/.test(text) ? { accountEnds: [text] } : null),
  amount: (text) => {
    const amountTenThousandths = parseAmount(text);
    return amountTenThousandths === null ? null : { amountTenThousandths };
  },
  amountFrom: (text) => {
    const amountFromTenThousandths = parseAmount(text);
    return amountFromTenThousandths === null ? null : { amountFromTenThousandths };
  },
  amountTo: (text) => {
    const amountToTenThousandths = parseAmount(text);
    return amountToTenThousandths === null ? null : { amountToTenThousandths };
  },
  currency: (text) => (/^[A-Z]{3}$/.test(text) ? { currency: text } : null),
  receivedFrom: (text) => {
    const receivedFromMs = parseInstant(text);
    return receivedFromMs === null ? null : { receivedFromMs };
  },
  receivedTo: (text) => {
    const receivedToMs = parseInstant(text);
    return receivedToMs === null ? null : { receivedToMs };
  },
  reason: (text) => (/^[A-Z0-9]{1,4}$/.test(text) ? { reason: text } : null),
  observation: (text) => {
    const observation = observationKinds.find((kind) => kind === text);
    return observation === undefined ? null : { observation };
  },
  quarantined: (text) => {
    const isParked = parseFlag(text);
    return isParked === null ? null : { isQuarantined: isParked };
  },
};

/** Returns a text that says what is wrong. `schemes` are those of who asks; null: every scheme. */
export function parseSearchTerms(query: URLSearchParams, schemes: readonly string[] | null): TransactionQuery | string {
  let asked: TransactionQuery = schemes === null ? {} : { schemes };
  for (const { name, form } of searchTerms) {
    const text = query.get(name);
    if (text === null) continue;
    const read = parsers[name](text);
    if (read === null) return `${name}: ${form}.`;
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
