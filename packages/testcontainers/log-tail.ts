// The last lines of a log, for the message of a failure.

export const linesMax = 2_000;
const linesShown = 40;
/** A line about a question that the test itself asked. */
const ownQuestion = /"event":"console\.answered"/;

export class LogTail {
  readonly #lines: string[] = [];
  #rest = "";

  add(chunk: string): void {
    const lines = `${this.#rest}${chunk}`.split("\n");
    this.#rest = lines.pop() ?? "";
    this.#lines.push(...lines.filter((line) => line !== ""));
    if (this.#lines.length > linesMax) this.#lines.splice(0, this.#lines.length - linesMax);
  }

  /** All lines that are kept. */
  text(): string {
    return [...this.#lines, this.#rest].filter((line) => line !== "").join("\n");
  }

  /** A message with the last lines below it. */
  explain(message: string): string {
    const shown = [...this.#lines, this.#rest].filter((line) => line !== "" && !ownQuestion.test(line)).slice(-linesShown);
    return shown.length === 0 ? message : `${message}\nThe log of Sluice ends with:\n${shown.map((line) => `  ${line}`).join("\n")}`;
  }
}
