// The error catalogue: each code of a Fault, what it says, where it comes from, and whether to try again. It is read
// from the code, so it has no code that does not exist.

interface FoundFault {
  readonly code: string;
  /** What it says; values are shown as `…`. */
  readonly text: string;
  readonly place: string;
  /** Null: it depends. */
  readonly isRetryable: boolean | null;
}

const made = /new Fault\(\s*"([a-z][a-z0-9.-]+)",\s*(?:`([^`]*)`|"([^"]*)")?/g;
/** Characters behind a code in which its options stand. */
const optionsWithin = 400;

/** `files` has the text of each source file by its path. */
export function listFaults(files: ReadonlyMap<string, string>): readonly FoundFault[] {
  const found = [...files].flatMap(([path, text]) =>
    [...text.matchAll(made)].map((match): FoundFault => {
      const [, code = "", template, plain] = match;
      const [, retryable] = /isRetryable: (true|false)?/.exec(text.slice(match.index, match.index + optionsWithin)) ?? [];
      return {
        code,
        text: (template ?? plain ?? "").replaceAll(/\$\{[^}]*\}/g, "…"),
        place: path.split("/").slice(0, 2).join("/"),
        isRetryable: retryable === undefined ? null : retryable === "true",
      };
    }),
  );
  return [...new Map(found.map((one) => [`${one.code} ${one.text}`, one])).values()].toSorted((a, b) => (a.code < b.code ? -1 : 1));
}

export function formatFaults(faults: readonly FoundFault[]): string {
  const rows = faults.map(({ code, text, place, isRetryable }) => {
    const again = isRetryable === null ? "it depends" : isRetryable ? "yes" : "no";
    return `| \`${code}\` | ${text.replaceAll("|", "\\|") || "(says what happened)"} | ${place} | ${again} |`;
  });
  return [
    "# Errors by code",
    "",
    "Log lines have the code as `code`, and readiness has the text. The command line prints the text.",
    "",
    "| code | says | from | try again |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}
