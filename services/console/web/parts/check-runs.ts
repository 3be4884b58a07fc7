// The checks of a receiver's addresses: who asked, when, and whether each address was reached.

import { html } from "hono/html";
import { showDistance, showTime, type Clock } from "./clock.ts";
import { count, dataTable, mark, type Html } from "./html.ts";

interface CheckRun {
  readonly operator: string | null;
  readonly at: string;
  readonly addresses: readonly {
    readonly address: string;
    readonly service: string;
    readonly tookMs: number;
    readonly httpStatusCode: number | null;
    readonly reason: string | null;
  }[];
}

export function renderCheckRuns(title: string, runs: readonly CheckRun[], clock: Clock): Html {
  const columns = [{ title: "When" }, { title: "By" }, { title: "Verdict" }, { title: "Each address", isText: true }];
  const rows = runs.map(({ at, operator, addresses }) => {
    const reached = addresses.filter(({ httpStatusCode }) => httpStatusCode !== null).length;
    return [
      html`${showTime(at, clock)} <span class="quiet">${showDistance(at, clock)}</span>`,
      operator ?? "an operator of Sluice, or a person no longer configured",
      mark(reached === addresses.length ? "good" : "bad", `${reached} of ${addresses.length} reached`),
      html`<ul class="reasons">
        ${addresses.map(
          ({ address, service, tookMs, httpStatusCode, reason }) =>
            html`<li>
              <code>${address}</code> <span class="quiet">${service === "dispatcher" ? "messages" : "postings of events"}</span>:
              ${httpStatusCode === null ? (reason ?? "not reached") : `HTTP ${httpStatusCode}`}, ${count(tookMs)} ms
            </li>`,
        )}
      </ul>`,
    ];
  });
  return html`<section id="checks">${dataTable(title, columns, rows, "Nobody has asked for one yet.")}</section>`;
}
