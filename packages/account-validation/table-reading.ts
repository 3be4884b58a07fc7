// What reading an operator's table gives: what was understood, and what was not, line by line. Nothing is passed over in silence.

export interface RefusedLine {
  /** From 1. */
  readonly line: number;
  readonly reason: string;
}

export interface TableReading<Content> {
  readonly content: Content;
  /** Lines that are not blank. */
  readonly linesRead: number;
  readonly rowsRead: number;
  readonly refused: readonly RefusedLine[];
  /** What was understood, but will not decide anything. */
  readonly remarks: readonly string[];
}

export interface NumberedLine {
  readonly line: number;
  readonly text: string;
}

/** Lines that are not blank, with their numbers; line ends of either kind. */
export function linesOf(text: string): readonly NumberedLine[] {
  return text
    .split("\n")
    .map((one, index) => ({ line: index + 1, text: one.replace(/\r$/, "") }))
    .filter(({ text: one }) => one.trim() !== "");
}
