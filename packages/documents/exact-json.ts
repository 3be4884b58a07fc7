// JSON whose numbers keep their digits: 1250.50 is read and written as 1250.50. It is for documents only; contracts
// reads messages.

export type DocumentJson = string | number | boolean | null | object;

const rawJson: (text: string) => DocumentJson = Reflect.get(JSON, "rawJSON");

export function parseDocumentJson(text: string): DocumentJson {
  const value: DocumentJson = JSON.parse(text, (_name, member: DocumentJson, context: { readonly source?: string } = {}) =>
    typeof member === "number" && context.source !== undefined ? rawJson(context.source) : member,
  );
  return value;
}

/** Writes JSON as a file: indented by two blanks, with a line feed at the end. */
export function writeDocumentJson(value: DocumentJson): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Returns the message with members set to values given as JSON text, or left out where the text is null. */
export function changeMessage(text: string, changes: readonly (readonly [path: string, json: string | null])[]): string {
  const message = parseDocumentJson(text);
  for (const [path, json] of changes) {
    const names = path.split("/").slice(1);
    const last = names.pop() ?? "";
    let place: object = Object(message);
    for (const name of names) place = Object(Reflect.get(place, name));
    if (json === null) Reflect.deleteProperty(place, last);
    else Reflect.set(place, last, parseDocumentJson(json));
  }
  return JSON.stringify(message);
}
