// A calendar file that a person brings to the Calendar page, and what came of comparing it. The file is not kept: the
// answer has it in its form, so that it can be mended and compared again.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { renderChangedDates, renderMovedDebits } from "./calendar-difference.ts";
import { dataTable, type Html } from "./html.ts";

type FileDifference = AnswerOf<"compareCalendarFile">;

interface ComparedFile {
  readonly text: string;
  readonly difference: FileDifference;
}

/** Characters of a line that is shown beside what is wrong in it. */
const lineCharactersMax = 120;

/** Null: no file was brought. A chosen file counts before the text. */
export async function compareBroughtFile({ api, form }: Asked): Promise<ComparedFile | null> {
  const [file, pasted] = ["file", "text"].map((name) => (form?.get(name) ?? "").replaceAll("\r\n", "\n"));
  const text = file === "" ? (pasted ?? "") : (file ?? "");
  if (text.trim() === "") return null;
  return { text, difference: await api.readOfFile("compareCalendarFile", "/calendar/file-difference", text) };
}

export function renderFileForm(action: Readonly<Record<string, string | null>>, formToken: string, compared: ComparedFile | null): Html {
  return html`<section aria-labelledby="other-file">
    <h2 id="other-file">Compare with another file</h2>
    <form class="terms" method="post" enctype="multipart/form-data" action="/calendar${queryText(action)}#difference">
      <input type="hidden" name="formToken" value="${formToken}" />
      <p class="wide">
        <label for="text">Calendar file: its calendars and schemes, as a configuration file has them</label>
        <textarea id="text" name="text" rows="10" spellcheck="false" placeholder="calendars:">${compared?.text ?? ""}</textarea>
      </p>
      <p class="wide">
        <label for="file">Or a file from your machine, in place of the text</label
        ><input id="file" name="file" type="file" accept=".yaml,.yml,.json" />
      </p>
      <p class="wide"><button class="main">Compare the file</button> Nothing is written, and the file is not kept.</p>
    </form>
  </section>`;
}

export function renderFileDifference({ text, difference }: ComparedFile): Html {
  const { problems, schemes, held, from, to } = difference;
  if (problems.length > 0) return html`<section id="difference" role="alert">${renderProblems(text, problems)}</section>`;
  return html`<section id="difference" aria-label="What the file would change">
    ${schemes.map((one) => renderScheme(one, from, to))} ${renderMovedDebits("Held debits on dates that the file changes", held)}
  </section>`;
}

const problemColumns = [{ title: "Line", isNumber: true }, { title: "The line" }, { title: "Member" }, { title: "Wrong", isText: true }];

function renderProblems(text: string, problems: FileDifference["problems"]): Html {
  const lines = text.split("\n");
  const cells = problems.map(({ line, path, text: said }) => [
    line ?? "–",
    line === null ? "" : html`<code>${(lines[line - 1] ?? "").trim().slice(0, lineCharactersMax)}</code>`,
    path === "" ? "the file" : html`<code>${path}</code>`,
    said,
  ]);
  return dataTable("The file has errors, so that nothing was compared", problemColumns, cells, "");
}

function renderScheme({ scheme, isIn, rows, zone, zoneInFile }: FileDifference["schemes"][number], from: string, to: string): Html {
  if (isIn === "force") return html`<p class="problem">${scheme}: the file does not have this scheme, and it is in force.</p>`;
  if (isIn === "file") return html`<p class="empty"><strong>${scheme}.</strong> It is in the file, and not in force.</p>`;
  const zones = { before: zone ?? "UTC", after: zoneInFile ?? "UTC" };
  return renderChangedDates(`${scheme}: dates that the file changes from ${from} to ${to}`, rows, zones);
}
