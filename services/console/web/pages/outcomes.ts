// What became of each of several that were decided together. The page goes on until every one of them is known.

import { html } from "hono/html";
import { ApiRefusal, type AnswerOf } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { count, dataTable, facts, link, mark, money, uetrLink, type Html, type Tone } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";
import type { DecidedTogether, OneDecided } from "../sessions/kept-outcomes.ts";

type Judged = AnswerOf<"listActions">["rows"][number];

/** The clocks of the page and of the log differ by less. */
const beforeMs = 60_000;

export async function showOutcomes({ api, me, params, outcomes, clock }: Asked): Promise<PageContent> {
  const decided = outcomes.find(params["action"] ?? "");
  if (decided === null) throw new ApiRefusal(404, "Not known", "This session does not keep it any more. The audit has every decision.");
  const since = decided.atMs === null ? null : new Date(decided.atMs - beforeMs).toISOString();
  const asked = queryText({ operator: me.id, from: since });
  const { rows } = await api.read("listActions", `/actions${asked}`);
  const judged = new Map(rows.map((row) => [`${row.id} ${row.key}`, row]));
  const all = decided.ones.map((one) => readOutcome(one, judged.get(`${one.action} ${one.key}`) ?? null));
  const open = all.filter(({ word }) => word === waits).length;
  return {
    title: open === 0 ? "Decided" : "Being decided",
    section: null,
    command: `./sluice decisions --operator ${me.id}`,
    isLive: open > 0 && clock.nowMs !== null,
    body: html`${renderSums(all)} ${renderFacts(decided)} ${renderAll(all)}`,
  };
}

const waits = "waits for its turn";
/** It is stored, and done when another person has confirmed it. */
const awaited = "waits for a second person";
const words: Readonly<Record<string, readonly [Tone, string]>> = {
  applied: ["good", "applied"],
  ignored: ["quiet", "no change"],
  refused: ["bad", "refused"],
};

interface Outcome {
  readonly one: OneDecided;
  readonly tone: Tone;
  readonly word: string;
  readonly why: string;
}

function readOutcome(one: OneDecided, judged: Judged | null): Outcome {
  if (one.whyRefused !== null) return { one, tone: "bad", word: "refused", why: one.whyRefused };
  if (one.done !== undefined) return { one, tone: "good", word: "replayed", why: one.done };
  if (judged === null) return { one, tone: "waits", word: waits, why: "" };
  if (judged.awaitsConfirmation) return { one, tone: "waits", word: awaited, why: "" };
  const [tone, word] = words[judged.result] ?? ["bad", judged.result];
  return { one, tone, word, why: judged.why ?? "" };
}

/** How many of each, the worst first. */
function renderSums(all: readonly Outcome[]): Html {
  const order = ["refused", waits, awaited, "no change", "applied"];
  const groups = [...Map.groupBy(all, ({ word }) => word)].toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  return html`<p class="line big" role="status">
    ${groups.map(([word, own]) => mark(own[0]?.tone ?? "quiet", `${count(own.length)} of ${count(all.length)} ${word}`))}
  </p>`;
}

function renderFacts({ action, sums }: DecidedTogether): Html {
  return facts([
    ["Decision", html`<code>${action}</code>`],
    ...(sums.length === 0
      ? []
      : [["Transactions", sums.map(({ currency, count: of, sum }) => html`${count(of)}, ${money(currency, sum)} in all `)] as const]),
  ]);
}

function aboutLink(key: string): Html | string {
  if (key === "") return "–";
  if (key.startsWith("bank:")) return link(`/banks/${key.slice(5)}`, key.slice(5));
  return key.includes(":") ? html`<code>${key}</code>` : uetrLink(key);
}

function renderAll(all: readonly Outcome[]): Html {
  const hasNames = all.some(({ one }) => one.name !== null);
  const columns = [{ title: "About" }, ...(hasNames ? [{ title: "Message" }] : []), { title: "Outcome" }, { title: "Why", isText: true }];
  const cells = all.map(({ one: { key, name, action, whyRefused, done }, tone, word, why }) => [
    aboutLink(key),
    ...(hasNames ? [html`<code>${name ?? ""}</code>`] : []),
    whyRefused === null && done === undefined && word !== waits
      ? link(`/decided/${action}${queryText({ key })}`, mark(tone, word))
      : mark(tone, word),
    why,
  ]);
  return dataTable("Outcome of each", columns, cells, "None.");
}
