// Pages of the control API: `limit`, and `after` with the cursor that ended the page before.
//
// #1 A cursor names the last row by the list's sort key: rows that appear or disappear in between are neither repeated
//    nor skipped.
// #2 It is opaque; a cursor that the list did not issue is refused.

export interface PageRequest {
  readonly limit: number;
  /** Sort key of the last row of the page before; null: the first page. */
  readonly after: string | null;
}

const pageLimitDefault = 100;
const pageLimitMax = 1_000;

/**
 * Returns a text that says what is wrong with the request. `isPlace` checks whether a text can be a key of this list.
 */
export function parsePageRequest(query: URLSearchParams, isPlace: (place: string) => boolean): PageRequest | string {
  const given = query.get("limit") ?? String(pageLimitDefault);
  const limit = /^[1-9]\d{0,3}$/.test(given) ? Number(given) : 0;
  if (limit < 1 || limit > pageLimitMax) return `limit: a whole number from 1 to ${pageLimitMax}.`;
  const cursor = query.get("after");
  if (cursor === null) return { limit, after: null };
  const place = Buffer.from(cursor, "base64url").toString("utf8");
  if (encodeCursor(place) !== cursor || !isPlace(place)) return "after: give `next` of the page before.";
  return { limit, after: place };
}

export function encodeCursor(place: string): string {
  return Buffer.from(place, "utf8").toString("base64url");
}

/** Cuts a page out of a list that is completely in memory and sorted by `placeOf`. */
export function slicePage<T>(rows: readonly T[], { limit, after }: PageRequest, placeOf: (row: T) => string) {
  const rest = after === null ? rows : rows.filter((row) => placeOf(row) > after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, next: last === undefined || rest.length <= limit ? null : encodeCursor(placeOf(last)) };
}
