// The alarms that fire, and how much is known of that.
//
// #1 A source that is silent, or is not there, is said: an empty list must not look as if all were well.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { showDistance, showTime, type Clock } from "./clock.ts";
import { dataTable, link, mark, plural, type Html, type Tone } from "./html.ts";
import { runbookLink } from "./layout.ts";

type Alarms = AnswerOf<"listAlarms">;
type Alarm = Alarms["rows"][number];

const tones: Readonly<Record<string, Tone>> = { critical: "bad", warning: "warns", info: "quiet" };
const columns = [
  { title: "Alarm" },
  { title: "Severity" },
  { title: "Since" },
  { title: "About", isText: true },
  { title: "What it says", isText: true },
  { title: "Runbook" },
];

/** What a person should look at: a source that is silent, and alarms that nobody silenced. */
export function listAlarmTroubles({ source, silentSince, why, rows }: Alarms, clock: Clock): readonly Html[] {
  const loud = rows.filter(({ isSilenced }) => !isSilenced);
  const names = [...new Set(loud.map(({ name }) => name))];
  const silent = html`<a href="#alarms">The alarm source cannot be asked since ${showTime(silentSince, clock)}: ${why ?? ""}</a>`;
  const firing = html`<a href="#alarms"
    >${plural(loud.length, "alarm")} firing: ${names.slice(0, 3).join(", ")}${names.length > 3 ? "…" : ""}</a
  >`;
  return [...(source === "silent" ? [silent] : []), ...(loud.length > 0 ? [firing] : [])];
}

export function renderAlarms(alarms: Alarms, clock: Clock, hasHelp: boolean): Html {
  const { rows, isWhole } = alarms;
  const cells = rows.map((alarm) => [
    html`<code>${alarm.name}</code>`,
    severityMark(alarm),
    html`${showTime(alarm.since, clock)} <span class="quiet">${showDistance(alarm.since, clock)}</span>`,
    alarm.about,
    html`${alarm.summary ?? ""} <span class="quiet">${alarm.description ?? ""}</span>`,
    renderRunbook(alarm, hasHelp),
  ]);
  return html`<section id="alarms">
    ${renderSource(alarms, clock)} ${rows.length === 0 ? "" : dataTable("Firing alarms", columns, cells, "")}
    ${isWhole ? "" : html`<p class="quiet">There are more: the Alertmanager shows them.</p>`}
  </section>`;
}

/** #1 */
function renderSource({ source, rows, answeredAt, silentSince, why }: Alarms, clock: Clock): Html | string {
  const said = answeredAt === null ? "It never answered." : html`What is shown was answered ${showTime(answeredAt, clock)}.`;
  switch (source) {
    case "none":
      return html`<p class="empty"><strong>Firing alarms.</strong> No alarm source is configured (SLUICE_ALARMS_URL): none is shown.</p>`;
    case "unasked":
      return html`<p class="empty"><strong>Firing alarms.</strong> The alarm source is being asked for the first time.</p>`;
    case "silent":
      return html`<div class="problem">
        <p>${mark("bad", html`The alarm source cannot be asked since ${showTime(silentSince, clock)}: ${why ?? ""}.`)} ${said}</p>
      </div>`;
    case "answers":
      return rows.length === 0 ? html`<p class="empty"><strong>Firing alarms.</strong> None, by the alarm source.</p>` : "";
    default:
      throw new Error(`no such source: ${String(source satisfies never)}`);
  }
}

function severityMark({ severity, isSilenced }: Alarm): Html {
  const known = mark(isSilenced ? "quiet" : (tones[severity ?? ""] ?? "warns"), severity ?? "not said");
  return isSilenced ? html`${known} <span class="quiet">silenced</span>` : known;
}

function renderRunbook({ runbook }: Alarm, hasHelp: boolean): Html | string {
  if (runbook === null) return "–";
  const [, name] = /^docs\/runbooks\/([a-z0-9-]+)\.md$/.exec(runbook) ?? [];
  return name === undefined ? link(runbook, new URL(runbook).hostname) : runbookLink(name, hasHelp, name);
}
