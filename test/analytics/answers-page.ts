// The page with the ten questions and their answers of a day, in Markdown.
//
// #1 Amounts, counts and states are planned by the day's seed, so they are the same in each run. Where an answer has
//    times or attempts, only its columns are.

import type { Answer, Question } from "@sluice/analytics";

/** The date that stands for the day of the run. */
const shownDate = "2026-11-20";
/** #1 */
const timed: ReadonlySet<string> = new Set(["time-to-state", "age-of-items", "refused-and-repeated", "attempts"]);

const head = `# Ten questions and their answers

The answers of one day of the demo, as \`./sluice analytics ask\` gives them. \`./sluice test analytics\` plays the day
again and holds this page against it; of times and attempts it compares the columns.
The statements are in [infra/analytics/questions](../infra/analytics/questions).
`;

export function buildAnswersPage(questions: readonly Question[], answers: ReadonlyMap<string, Answer>, businessDate: string): string {
  const sections = questions.map(({ name, text, sql }) => {
    const answer = answers.get(name);
    const table = answer === undefined || "problem" in answer ? (answer?.problem ?? "no answer") : formatAnswer(answer);
    return `\n## ${text}\n\n\`./sluice analytics ask ${name}\`\n\n${table.replaceAll(businessDate, shownDate)}\n\n\`\`\`sql\n${sql.trim()}\n\`\`\`\n`;
  });
  return `${head}${sections.join("")}`;
}

function formatAnswer({ columns, rows }: Exclude<Answer, { readonly problem: string }>): string {
  if (rows.length === 0) return `Columns: ${columns.join(", ")}. No row: nothing of that kind happened.`;
  const lines = [columns, columns.map(() => "---"), ...rows.map((row) => row.map((cell) => cell ?? "–"))];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** What is the same in each run (#1): the page without the rows of answers that have times. */
export function stableLines(page: string): readonly string[] {
  let isTimed = false;
  let tableLines = 0;
  return page.split("\n").filter((line) => {
    const asked = /^`\.\/sluice analytics ask (\S+)`$/.exec(line)?.[1];
    if (asked !== undefined) isTimed = timed.has(asked);
    tableLines = line.startsWith("|") ? tableLines + 1 : 0;
    return !isTimed || tableLines <= 2;
  });
}
