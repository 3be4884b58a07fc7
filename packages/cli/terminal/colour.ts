// Colour for what a person should look at. The words are enough without it: colour is only where a terminal shows it
// and NO_COLOR is not set (https://no-color.org).

const bad = /\b(MISSED|DOWN|ABOVE ITS ALARM|breaker-open|not ready|refused)\b/g;
const slow = /\b(paused|maintenance|throttled|closed:)/g;

export function highlight(text: string): string {
  // JSON is for programs.
  if (text.startsWith("{")) return text;
  return text.replaceAll(bad, paint(31)).replaceAll(slow, paint(33));
}

function paint(code: number): string {
  return `\u001b[${code}m$1\u001b[39m`;
}

export function isColourShown(stream: { readonly isTTY?: boolean }, environment: Readonly<Record<string, string | undefined>>): boolean {
  return stream.isTTY === true && (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb";
}
