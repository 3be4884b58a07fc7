// Dead letters: which record could not be read or handled, where and why. Their content is never shown.

import { html } from "hono/html";
import { queryText, type Asked } from "../asked.ts";
import { showTime } from "../parts/clock.ts";
import { link, mark, dataTable, uetrLink } from "../parts/html.ts";
import { replayedAs } from "../decisions/on-letters.ts";
import type { PageContent } from "../parts/layout.ts";

const uetrForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export async function showLetters({ api, query, clock }: Asked): Promise<PageContent> {
  const { rows, next } = await api.read("listDeadLetters", `/dead-letters${queryText({ limit: "50", after: query.get("after") })}`);
  const groups = [...Map.groupBy(rows, ({ service, why }) => `${service}: ${why}`)].flatMap(([name, own]) =>
    own[0] === undefined ? [] : [{ name, number: own.length, service: own[0].service, why: own[0].why }],
  );
  const columns = [
    { title: "Letter" },
    { title: "Since" },
    { title: "Service" },
    { title: "Record" },
    { title: "Key" },
    { title: "Why", isText: true },
    { title: "Decide" },
  ];
  const cells = rows.map(({ letter, deadLetteredAt, service, topic, partition, offset, key, why, skip }) => [
    letter,
    showTime(deadLetteredAt, clock),
    service,
    html`<code>${topic} ${partition}:${offset}</code>`,
    key === null ? "–" : uetrForm.test(key) ? uetrLink(key) : key,
    html`${why} ${skip === null ? "" : mark("quiet", `skipped by ${skip.operator}`)}`,
    link(
      replayedAs({ letter, key, service }) === letter
        ? `/decide/replayDeadLetter${queryText({ letter })}`
        : `/decide/replayTransaction${queryText({ uetr: key })}`,
      html`Replay<span class="unseen"> ${letter}</span>…`,
    ),
  ]);
  return {
    title: "Dead letters",
    section: "letters",
    command: "./sluice dead-letters list",
    runbook: "dead-letters",
    body: html`${
      groups.length < 2
        ? ""
        : html`<ul class="reasons">
            ${groups.map(
              ({ name, number, service, why }) =>
                html`<li>
                  ${number} × ${name}
                  ${link(`/decide/replayDeadLetters${queryText({ service, why })}`, html`Replay these<span class="unseen">: ${name}</span>…`)}
                </li>`,
            )}
          </ul>`
    }
    ${
      rows.length < 2
        ? ""
        : html`<section class="actions" aria-label="What could be decided">
            <ul>
              <li><a class="button" href="/decide/replayDeadLetters">Replay several…</a></li>
            </ul>
          </section>`
    }
    ${dataTable("Dead letters on this page", columns, cells, next === null ? "There are no dead letters." : "None on this page; the list goes on.")}
    ${next === null ? "" : html`<p>${link(`/dead-letters${queryText({ after: next })}`, "Next page")}</p>`}`,
  };
}
