// CSV as RFC 4180 has it: CRLF, a field in quotes where it needs them, quotes doubled.
//
// #1 A field never begins as a formula does (= + - @ tab CR): a spreadsheet that opens the file computes nothing. It gets an apostrophe in front.

export function csvLine(fields: readonly (string | number | boolean | null)[]): string {
  return `${fields.map(csvField).join(",")}\r\n`;
}

function csvField(value: string | number | boolean | null): string {
  if (value === null) return "";
  const text = typeof value === "string" ? harmless(value) : String(value);
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** #1. Also behind blanks and other signs that a spreadsheet passes over. */
function harmless(text: string): string {
  return /^[\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(text) ? `'${text}` : text;
}
