// Pages of the control API: `limit`, and `after` with the cursor that the page before ended with.
//
// #1 A cursor names the last row given, by what the list is sorted by: what comes and goes meanwhile is neither given twice nor passed over.
// #2 It is opaque; one that the list did not give is refused.

export interface Page {
  readonly limit: number;
  /** Place of the last row that was given; null: from the beginning. */
  readonly after: string | null;
}

export const limitDefault = 100;
export const limitMax = 1_000;

/** A text says what is wrong. `isPlace`: whether a text can be a place in this list. */
export function pageIn(query: URLSearchParams, isPlace: (place: string) => boolean): Page | string {
  const given = query.get("limit") ?? String(limitDefault);
  const limit = /^[1-9]\d{0,3}$/.test(given) ? Number(given) : 0;
  if (limit < 1 || limit > limitMax) return `limit: a whole number from 1 to ${limitMax}.`;
  const cursor = query.get("after");
  if (cursor === null) return { limit, after: null };
  const place = Buffer.from(cursor, "base64url").toString("utf8");
  if (cursorOf(place) !== cursor || !isPlace(place)) return "after: give `next` of the page before.";
  return { limit, after: place };
}

export function cursorOf(place: string): string {
  return Buffer.from(place, "utf8").toString("base64url");
}

/** The rows that follow in a list that is whole in memory, sorted by `placeOf`. */
export function pageOf<T>(rows: readonly T[], { limit, after }: Page, placeOf: (row: T) => string) {
  const rest = after === null ? rows : rows.filter((row) => placeOf(row) > after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, next: last === undefined || rest.length <= limit ? null : cursorOf(placeOf(last)) };
}
