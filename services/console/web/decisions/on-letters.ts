// The decision about several dead letters: which of them could be replayed now, and how many records they have.
//
// #1 A dry run says it before anything is decided. One that would be refused is shown, and is not chosen.

import { controlAnswers } from "@sluice/contracts/control-answers";
import { replayedMax } from "@sluice/contracts/decision-bodies";
import { html } from "hono/html";
import { ApiRefusal, type AnswerOf } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { showTime } from "../parts/clock.ts";
import { count, dataTable, facts, mark, plural, uetrLink, type Html } from "../parts/html.ts";
import { isOn, type PrepareDecision } from "./decision-form.ts";

type Letter = AnswerOf<"listDeadLetters">["rows"][number];

const uetrForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Letters of a transaction that the scheduler could not apply are replayed together, in its order. */
export function replayedAs({ letter, key, service }: Pick<Letter, "letter" | "key" | "service">): string {
  return key !== null && uetrForm.test(key) && service === "scheduler" ? key : letter;
}

export const prepareReplays: PrepareDecision = async (asked) => {
  const { api, query } = asked;
  const filter = { service: query.get("service"), why: query.get("why") };
  const { rows, next } = await api.read("listDeadLetters", `/dead-letters${queryText({ ...filter, limit: String(replayedMax) })}`);
  const letters = new Map(rows.filter(({ skip }) => skip === null).map((row) => [replayedAs(row), row]));
  if (letters.size === 0) throw new ApiRefusal(409, "Not possible now", "There are no such dead letters.");
  const checked = await check(asked, [...letters.keys()]);
  const possible = checked.filter(({ outcome }) => outcome !== "refused");
  return {
    title: "Replay several dead letters",
    preview: facts([
      ["Service", filter.service ?? "every service"],
      ["Why", filter.why ?? "every reason"],
      [
        "Letters and transactions",
        `${count(possible.length)} of ${count(checked.length)} could be replayed now${next === null ? "" : "; there are more"}`,
      ],
      ["Records", count(possible.reduce((sum, { records }) => sum + (records ?? 0), 0))],
    ]),
    warning: "Every record of each is appended again, in its order. One that is still unreadable is dead-lettered again.",
    fields: renderChoice(checked, letters, asked),
    path: "/replay",
    body(form) {
      const chosen = form.getAll("of").map((value) => value.split(" "));
      if (chosen.length === 0) return "Choose at least one.";
      return { of: chosen.map(([of]) => of), records: chosen.reduce((sum, [, records]) => sum + Number(records ?? 0), 0) };
    },
    command: "./sluice dead-letters replay --all --reason TEXT",
    secondPerson: "replay",
    verb: "Replay the chosen letters",
    runbook: "dead-letters",
  };
};

type Checked = AnswerOf<"replayDeadLetters">["rows"];

/** #1 */
async function check({ api, me, newActionId }: Asked, of: readonly string[]): Promise<Checked> {
  // The page says at once that who may not decide needs the role.
  if (!me.roles.includes("act")) return of.map((one) => ({ of: one, outcome: "refused", records: 0, why: "it needs the role act" }));
  const answer = await api.send("/replay", { of, isDryRun: true, reason: "preview in the console" }, newActionId());
  return controlAnswers.replayDeadLetters.parse(answer).rows;
}

function renderChoice(checked: Checked, letters: ReadonlyMap<string, Letter>, { clock, form }: Asked): Html {
  const columns = [
    { title: "Chosen" },
    { title: "What" },
    { title: "Since" },
    { title: "Why it is a dead letter", isText: true },
    { title: "Now", isText: true },
  ];
  const cells = checked.map(({ of, outcome, records, why }) => {
    const letter = letters.get(of);
    const value = `${of} ${records ?? 0}`;
    const box = html`<input
      type="checkbox"
      name="of"
      value="${value}"
      aria-label="Letter ${of}"
      ${isOn(form, "of", value, true) ? "checked" : ""}
    />`;
    return [
      outcome === "refused" ? "" : box,
      uetrForm.test(of) ? uetrLink(of) : html`<code>${of}</code>`,
      showTime(letter?.deadLetteredAt ?? null, clock),
      html`${letter?.service}: ${letter?.why}`,
      outcome === "refused" ? mark("bad", `refused: ${why ?? ""}`) : mark("good", `${plural(records ?? 0, "record")} would be replayed`),
    ];
  });
  return dataTable("Which", columns, cells, "None.");
}
