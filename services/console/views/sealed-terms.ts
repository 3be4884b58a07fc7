// Searches by the end of an account where some transactions are sealed: the store then has a keyed hash of it.

import type { SearchHashes } from "@sluice/secrecy";
import type { TransactionQuery } from "@sluice/store";

/** Adds the hashes under which the end of an account may be stored. Returns a text where the search is too wide. */
export async function addSealedTerms(terms: TransactionQuery, hashes: SearchHashes | null): Promise<TransactionQuery | string> {
  const [text] = terms.accountEnds ?? [];
  if (text === undefined || hashes === null) return terms;
  const hashed = await hashes(text, terms.bank);
  return hashed === null ? "account: name the bank too." : { ...terms, accountEnds: [text, ...hashed] };
}

/** Returns the end of an account for people; null: there is none, or it is sealed. */
export function shownAccountEnd(stored: string | null): string | null {
  return stored !== null && stored.length > endCharacters ? null : stored;
}

const endCharacters = 4;
