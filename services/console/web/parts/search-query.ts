// The terms of a search as a page has them in its address, and as the API takes them.

import { searchTerms } from "@sluice/contracts";
import { queryText } from "../asked.ts";
import type { Clock } from "./clock.ts";

interface SearchQuery {
  /** As the person wrote them, for the form and the page's address. */
  readonly terms: Readonly<Record<string, string | undefined>>;
  /** "?a=1&b=2" for the API; empty where nothing is asked. */
  readonly asked: string;
}

/** A time without an offset is one of the scheme's zone. */
export const timeTerms: ReadonlySet<string> = new Set(["receivedFrom", "receivedTo"]);

export function readSearchQuery(query: URLSearchParams, { zone }: Clock): SearchQuery {
  const terms = Object.fromEntries(searchTerms.map(({ name }) => [name, query.get(name)?.trim()]));
  const given = Object.entries(terms).map(([name, text]) => [name, timeTerms.has(name) ? withOffset(text, zone) : text]);
  return { terms, asked: queryText(Object.fromEntries(given)) };
}

function withOffset(text: string | undefined, zone: string): string | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(text)) return text;
  return Temporal.PlainDateTime.from(text).toZonedDateTime(zone).toInstant().toString();
}
