// The result of reading an operator's table: what was understood and, line by line, what was not. Nothing is skipped in
// silence.

export interface RefusedLine {
  /** Number of the line, from 1. */
  readonly line: number;
  readonly reason: string;
}

export interface TableReading<Content> {
  readonly content: Content;
  /** Number of lines that are not blank. */
  readonly linesRead: number;
  readonly rowsRead: number;
  readonly refused: readonly RefusedLine[];
  /** Warnings about content that was understood but decides nothing. */
  readonly warnings: readonly string[];
}

export interface NumberedLine {
  readonly line: number;
  readonly text: string;
}

/** Splits a text into its lines that are not blank, with their numbers; either kind of line end. */
export function splitLines(text: string): readonly NumberedLine[] {
  return text
    .split("\n")
    .map((one, index) => ({ line: index + 1, text: one.replace(/\r$/, "") }))
    .filter(({ text: one }) => one.trim() !== "");
}
