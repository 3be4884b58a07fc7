// Checks the syntax of what an operator's request says outside its body: the parts of its address, its query, its
// idempotency key.

const uetr = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const forms: Readonly<Record<string, { readonly is: (text: string) => boolean; readonly what: string }>> = {
  uetr: { is: (text) => uetr.test(text), what: "a UUID of the form 8-4-4-4-12" },
  scheme: { is: (text) => /^[A-Z][A-Z0-9_]{0,34}$/.test(text), what: "a scheme code" },
  date: { is: isDate, what: "a date, YYYY-MM-DD" },
  bank: { is: (text) => /^[a-z0-9-]{1,32}$/.test(text), what: "1 to 32 of a-z, 0-9 and -" },
  month: { is: (text) => /^\d{4}-(0[1-9]|1[0-2])$/.test(text), what: "a month, YYYY-MM" },
  topic: { is: (text) => /^[a-z0-9.-]{1,64}$/.test(text), what: "the name of a topic" },
  letter: { is: (text) => /^\d{1,4}:\d{1,19}$/.test(text), what: "a dead letter's place, partition:offset" },
  action: { is: isActionId, what: "1 to 64 printable ASCII characters" },
};

const queryValueCharactersMax = 200;

/** Returns the parts of the address by name, a UETR in lower case; or a text that says what is wrong. */
export function parsePathParts(path: string, part: (name: string) => string | undefined): Readonly<Record<string, string>> | string {
  const parts: Record<string, string> = {};
  for (const [, name = ""] of path.matchAll(/\{(\w+)\}/g)) {
    const given = part(name) ?? "";
    const form = forms[name];
    if (form === undefined || !form.is(given)) return `The address: ${name} must be ${form?.what ?? "known"}.`;
    parts[name] = name === "uetr" ? given.toLowerCase() : given;
  }
  return parts;
}

/** Returns the query if each of its names is in `names` and occurs once; else a text that says what is wrong. */
export function parseQuery(names: readonly string[], query: URLSearchParams): URLSearchParams | string {
  for (const name of new Set(query.keys())) {
    if (!names.includes(name)) return names.length === 0 ? "There is no parameter here." : `Parameters here are: ${names.join(", ")}.`;
    const values = query.getAll(name);
    if (values.length > 1) return `${name}: given more than once.`;
    if ((values[0] ?? "").length > queryValueCharactersMax) return `${name}: longer than ${queryValueCharactersMax} characters.`;
  }
  return query;
}

/** Null: no key was sent; undefined: the text is not a valid key. */
export function parseActionId(header: string | undefined): string | null | undefined {
  if (header === undefined) return null;
  return isActionId(header) ? header : undefined;
}

function isActionId(text: string): boolean {
  return /^[!-~](?:[ -~]{0,62}[!-~])?$/.test(text);
}

export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  try {
    return Temporal.PlainDate.from(text).toString() === text;
  } catch {
    return false;
  }
}
