// Writes CSV according to RFC 4180: lines end with CRLF, a field is quoted where needed, quotes in it are doubled.
//
// #1 No field begins like a formula (= + - @ tab CR); such a field gets an apostrophe in front, so that a spreadsheet
//    that opens the file computes nothing.

export function csvLine(fields: readonly (string | number | boolean | null)[]): string {
  return `${fields.map(csvField).join(",")}\r\n`;
}

function csvField(value: string | number | boolean | null): string {
  if (value === null) return "";
  const text = typeof value === "string" ? defuseFormula(value) : String(value);
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** #1 Also finds a formula after blanks and other characters that a spreadsheet ignores. */
function defuseFormula(text: string): string {
  return /^[\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(text) ? `'${text}` : text;
}
