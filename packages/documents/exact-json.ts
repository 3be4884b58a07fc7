// JSON whose numbers keep their digits: 1250.50 is read and written as 1250.50. Only for documents; messages are read by contracts.

export type ExactJson = string | number | boolean | null | object;

const rawJson: (text: string) => ExactJson = Reflect.get(JSON, "rawJSON");

export function exactJson(text: string): ExactJson {
  const value: ExactJson = JSON.parse(text, (_name, member: ExactJson, context: { readonly source?: string } = {}) =>
    typeof member === "number" && context.source !== undefined ? rawJson(context.source) : member,
  );
  return value;
}

/** As a file: two blanks a level, a line feed at the end. */
export function exactText(value: ExactJson): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The same message with members set (a value given as JSON text), or left out where the text is null. */
export function changedMessage(text: string, changes: readonly (readonly [path: string, json: string | null])[]): string {
  const message = exactJson(text);
  for (const [path, json] of changes) {
    const names = path.split("/").slice(1);
    const last = names.pop() ?? "";
    let place: object = Object(message);
    for (const name of names) place = Object(Reflect.get(place, name));
    if (json === null) Reflect.deleteProperty(place, last);
    else Reflect.set(place, last, exactJson(json));
  }
  return JSON.stringify(message);
}
