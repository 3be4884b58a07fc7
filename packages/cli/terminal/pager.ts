// Shows a text that may be longer or wider than the terminal. As git does: `less` lets a person page and scroll
// sideways, and ends by itself where the text fits.
//
// #1 PAGER names another program; `cat`, or an empty name, means none. Without a pager lines are cut at the terminal's
//    width.

import { spawn } from "node:child_process";

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
}

/** Lines that a person sees at once, beside the prompt. */
const rowsOfPrompt = 1;

export async function showPaged(text: string, screen: Screen, environment: NodeJS.ProcessEnv): Promise<void> {
  const lines = text.split("\n");
  const fits = lines.length + rowsOfPrompt <= screen.rows && lines.every((line) => line.length <= screen.columns);
  const program = environment["PAGER"] ?? "less";
  const isPaged = !fits && program !== "" && program !== "cat" && (await runPager(program, text, environment));
  if (!isPaged) screen.write(`${fits ? text : cutLines(text, screen.columns)}\n`);
}

/** Returns false where there is no such program. */
function runPager(program: string, text: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  // F: ends where the text fits; R: colours; S: cuts lines, and the arrows scroll; X: leaves the text on the screen.
  const pager = spawn(program, { shell: true, stdio: ["pipe", "inherit", "ignore"], env: { LESS: "FRSX", ...environment } });
  const notFound = 127;
  return new Promise((resolve) => {
    pager.once("error", () => resolve(false));
    pager.once("close", (code) => resolve(code !== notFound));
    // A person may leave before the end.
    pager.stdin.once("error", () => undefined);
    pager.stdin.end(`${text}\n`);
  });
}

/** #1 */
export function cutLines(text: string, columns: number): string {
  return text
    .split("\n")
    .map((line) => (line.length > columns ? `${line.slice(0, Math.max(0, columns - 1))}…` : line))
    .join("\n");
}
