// Reads headers from a `Request`, or from Node's `request.headers`.

export type HeaderSource = Pick<Headers, "get"> | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the one value of a header; null where there is none, or more than one to choose from. */
export function readHeader(source: HeaderSource, name: string): string | null {
  if (hasGet(source)) return source.get(name);
  const values = Object.entries(source).flatMap(([key, value]) => (key.toLowerCase() === name && value !== undefined ? value : []));
  return values.length === 1 ? (values[0] ?? null) : null;
}

function hasGet(source: HeaderSource): source is Pick<Headers, "get"> {
  return typeof source["get"] === "function";
}
