// The newest rebuild of the store: how far it is, and when it would be through.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { showDistance, showTime, type Clock } from "./clock.ts";
import { count, dataTable, facts, mark, type Html } from "./html.ts";

type Rebuild = AnswerOf<"controlStatus">["rebuild"];

const states = { running: ["waits", "runs"], silent: ["bad", "says nothing any more"], ended: ["quiet", "ended"] } as const;
const ends = {
  switched: ["good", "equal or accepted: continues in the new build"],
  equal: ["good", "equal; nothing was switched"],
  differs: ["bad", "differs; nothing was switched"],
} as const;

export function renderRebuild(rebuild: Rebuild, clock: Clock): Html {
  if (rebuild === null) {
    return html`<p class="empty">
      <strong>Rebuild.</strong> None is known. <code>./sluice rebuild --dry-run</code> compares the store with the journal.
    </p>`;
  }
  const { state, startedAt, updatedAt, partitionsDone, partitionsCount, done, left, finishesAt, rows } = rebuild;
  const [tone, word] = states[state];
  const columns = [
    { title: "Partition", isNumber: true },
    { title: "Records", isNumber: true },
    { title: "Of", isNumber: true },
    { title: "Began" },
    { title: "How it ended", isText: true },
  ];
  const cells = rows.map((row) => [
    row.partition,
    count(row.done),
    row.of === "0" ? "–" : count(row.of),
    showTime(row.startedAt, clock),
    row.end === null ? mark("waits", "under way") : endMark(row.end),
  ]);
  return html`<section id="rebuild">
    <h2>Rebuild</h2>
    ${facts([
      ["State", mark(tone, word)],
      ["Partitions", `${count(partitionsDone)} of ${count(partitionsCount)} done`],
      ["Records", `${count(done)} done, ${count(left)} left`],
      ["Began", html`${showTime(startedAt, clock)} <span class="quiet">${showDistance(startedAt, clock)}</span>`],
      ["Said something", html`${showTime(updatedAt, clock)} <span class="quiet">${showDistance(updatedAt, clock)}</span>`],
      [
        "Through",
        finishesAt === null
          ? "not known"
          : html`about ${showTime(finishesAt, clock)} <span class="quiet">${showDistance(finishesAt, clock)}, at its speed so far</span>`,
      ],
    ])}
    ${dataTable("Partitions of the rebuild", columns, cells, "It has begun with none.")}
  </section>`;
}

function endMark(end: keyof typeof ends): Html {
  const [tone, text] = ends[end];
  return mark(tone, text);
}
