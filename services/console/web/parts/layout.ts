// The frame of every page: who is signed in, the time, where one can go, and what stands behind the page.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { showTime, type Clock } from "./clock.ts";
import type { Html } from "./html.ts";

export interface PageContent {
  readonly title: string;
  /** Where the page is in the navigation; null: nowhere. */
  readonly section: Section | "own" | null;
  readonly body: Html;
  /** The verb of `./sluice` that says or does the same. */
  readonly command: string | readonly string[];
  /** Runbook of `docs/runbooks`, without its ending; null: none is about this page. */
  readonly runbook?: string | null;
  /** Whether the page shows new numbers by itself. */
  readonly isLive?: boolean;
  readonly status?: 200 | 403 | 404 | 409 | 422 | 429 | 500 | 503;
}

export interface Frame {
  readonly me: AnswerOf<"showMe">;
  readonly clock: Clock;
  readonly formToken: string;
  readonly calls: readonly string[];
  /** Whether there is a documentation site below `/help`. */
  readonly hasHelp: boolean;
}

const sections = {
  now: ["/", "Now"],
  search: ["/search", "Search"],
  banks: ["/banks", "Banks"],
  days: ["/days", "Days"],
  calendar: ["/calendar", "Calendar"],
  reconciliation: ["/reconciliation", "Reconciliation"],
  proposals: ["/proposals", "Proposals"],
  letters: ["/dead-letters", "Dead letters"],
  services: ["/services", "Services"],
  system: ["/system", "System"],
  audit: ["/audit", "Audit"],
} as const;
type Section = keyof typeof sections;

export function renderPage(content: PageContent, frame: Frame): Html {
  return renderDocument(
    content.title,
    html`<a class="skip" href="#main">Skip to content</a>
      <header class="top">
        <a class="name" href="/">Sluice</a>
        ${frame.me.environment === null ? "" : html`<p class="environment" title="environment">${frame.me.environment}</p>`}
        <form class="find" role="search" action="${frame.me.bank === null ? "/search" : `/own/${frame.me.bank}`}">
          <input
            type="search"
            name="q"
            aria-label="Find by UETR or any identification, or how it begins"
            placeholder="UETR or identification"
            required
            maxlength="36"
          />
          <button>Find</button>
        </form>
        <p class="clock" id="clock">${renderClock(frame)}</p>
        <form class="person" method="post" action="/sign-out">
          <span title="${describeRights(frame.me)}">${frame.me.name}</span>
          <input type="hidden" name="formToken" value="${frame.formToken}" /><button class="plain">Sign out</button>
        </form>
      </header>
      <nav aria-label="Pages">
        <ul>
          ${listSections(frame).map(([name, [href, text]]) => html`<li><a href="${href}" aria-current="${name === content.section ? "page" : "false"}">${text}</a></li>`)}
          ${frame.hasHelp ? html`<li><a href="/help/">Help</a></li>` : ""}
        </ul>
      </nav>
      <main id="main" tabindex="-1">
        <p id="connection" role="status" hidden></p>
        ${renderViews(frame)}
        <h1>${content.title}</h1>
        ${receiverList(frame)}
        <div id="content" data-live="${content.isLive === true ? "yes" : "no"}">${content.body}</div>
        ${renderBehind(content, frame)}
      </main>`,
  );
}

/** The person's saved views: the script fills it in, and shows it (ADR 140). Each view is an address. */
function renderViews({ me }: Frame): Html {
  return html`<details class="views" id="views" data-owner="${me.id}" hidden>
    <summary>Saved views</summary>
    <p class="quiet" role="status">This browser keeps them, for you.</p>
    <ul></ul>
    <form>
      <label for="view-name">Save this page as</label><input id="view-name" maxlength="40" required autocomplete="off" />
      <button>Save</button>
    </form>
  </details>`;
}

/** What fields that ask for a bank offer. */
function receiverList({ me }: Frame): Html {
  return html`<datalist id="receivers">${me.receivers.map((id) => html`<option value="${id}"></option>`)}</datalist>`;
}

/** The pages that show every scheme, and an operator of some does not have. */
const ofEveryScheme: ReadonlySet<string> = new Set<Section>(["banks", "letters", "system"]);

/** A bank's own person has one page and what lies below it. */
function listSections({ me }: Frame): readonly (readonly [string, readonly [string, string]])[] {
  if (me.bank !== null) return [["own", [`/own/${me.bank}`, "Your bank"]]];
  return Object.entries(sections).filter(([name]) => me.ofSchemes === null || !ofEveryScheme.has(name));
}

function describeRights({ roles, bank, ofSchemes }: Frame["me"]): string {
  const of = [bank, ...(ofSchemes ?? [])].filter((one) => one !== null);
  return `roles: ${roles.join(", ")}${of.length === 0 ? "" : ` of ${of.join(", ")}`}`;
}

export function renderClock({ clock, me }: Frame): Html | string {
  const [scheme] = me.schemes;
  return me.asOf === null
    ? "The time of the log is not known yet"
    : html`<span>${scheme?.id ?? ""}</span> ${showTime(me.asOf, { ...clock, nowMs: clock.nowMs })}`;
}

/** What a person or a program would ask for the same. */
function renderBehind({ command, runbook = null }: PageContent, { calls, hasHelp }: Frame): Html {
  return html`<footer class="behind">
    <details>
      <summary>The same by command or API</summary>
      ${[command].flat().map((one) => html`<p>Command: <code>${one}</code></p>`)}
      <ul>
        ${calls.filter((call) => !call.endsWith("/me")).map((call) => html`<li><code>${call}</code></li>`)}
      </ul>
      <p>${runbook === null ? "" : html`Runbook: ${runbookLink(runbook, hasHelp)}`}</p>
    </details>
  </footer>`;
}

/** `name` is that of the page, without its folder and its ending; `text` is shown, its path if left out. */
export function runbookLink(name: string, hasHelp: boolean, text = `docs/runbooks/${name}.md`): Html {
  return hasHelp ? html`<a href="/help/docs/runbooks/${name}.html">${text}</a>` : html`<code>${text}</code>`;
}

/** Where not even the frame can be made, as nobody knows who asks. */
export function renderProblem(detail: string): Html {
  return renderDocument(
    "Not available",
    html`<main id="main" class="door">
      <h1>Sluice</h1>
      <div class="problem" role="alert"><p>${detail}</p></div>
      <p><a href="">Load the page again</a></p>
    </main>`,
  );
}

export function renderDocument(title: string, body: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Sluice</title>
        <link rel="icon" href="/assets/icon.svg" />
        <link rel="stylesheet" href="/assets/console.css" />
        <script type="module" src="/assets/console.js"></script>
      </head>
      <body>
        ${body}
      </body>
    </html>`;
}
