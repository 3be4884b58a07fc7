// `./sluice analytics ask`: answers questions of a payments analyst over the tables that `analytics up` fills.

import { join } from "node:path";
import { type Answer, askLake, lakeFolder, readQuestions } from "@sluice/analytics";
import { formatTable } from "@sluice/environment";
import { analyticsFolders, bringAnalyticsPrograms } from "./analytics-folders.ts";
import { maskControlCharacters } from "../../terminal/control-table.ts";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";

const questions = readQuestions();

const run: RunVerb = async (call) => {
  const wanted = questions.filter(({ name }) => call.positionals.length === 0 || call.positionals.includes(name));
  const programs = await bringAnalyticsPrograms("analytics ask", (text) => void process.stderr.write(`sluice: ${text}\n`));
  const lake = call.value("lake") ?? lakeFolder(analyticsFolders.worker);
  const answers = await askLake(join(programs, "python"), lake, wanted);
  if (call.flag("json")) process.stdout.write(`${JSON.stringify(Object.fromEntries(answers), null, 2)}\n`);
  else for (const { name, text } of wanted) process.stdout.write(`${text}\n${answerText(answers.get(name))}\n\n`);
  return [...answers.values()].some((answer) => "problem" in answer) ? 1 : 0;
};

export const analyticsAskVerb: Verb = {
  name: "analytics ask",
  summary: "answers ten questions of a payments analyst from the tables",
  arguments: [
    {
      placeholder: "QUESTION",
      text: "only these",
      choices: questions.map(({ name }) => name),
      count: [0, questions.length],
    },
  ],
  options: {
    json: jsonOption,
    lake: { type: "string", placeholder: "FOLDER", text: "the tables (those of analytics up)", completes: "folders" },
  },
  notes: [
    "The questions are in infra/analytics/questions, as SQL. Needs python3: pyiceberg names the files, DuckDB reads them.",
    "Exit 1 if a question needs a table that has no record yet.",
  ],
  examples: ["analytics ask", "analytics ask settled conservation"],
  run,
};

function answerText(answer: Answer | undefined): string {
  if (answer === undefined) return "  no answer";
  if ("problem" in answer) return `  ${maskControlCharacters(answer.problem)}`;
  if (answer.rows.length === 0) return "  no row";
  return formatTable(
    answer.columns,
    answer.rows.map((row) => row.map((cell) => (cell === null ? null : maskControlCharacters(cell)))),
  );
}
