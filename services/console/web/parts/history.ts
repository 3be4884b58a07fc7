// Everything that happened to a transaction, in the order of the log: states, messages both ways with their attempts,
// other records, and pauses of its bank.

import { html } from "hono/html";
import type { Timeline, TimelineAttempt, TimelineEnd, TimelineMessage, TimelineParkedMessage, TimelineState } from "@sluice/timeline";
import { showMs, type Clock } from "./clock.ts";
import { link, mark, stateMark, type Html } from "./html.ts";

interface Entry {
  readonly offset: bigint;
  /** States come behind the message that caused them. */
  readonly place: number;
  readonly atMs: number;
  readonly kind: string;
  readonly body: Html;
}

export function renderHistory(timeline: Timeline, clock: Clock): Html {
  const entries = [
    ...timeline.messages.map((message): Entry => ({
      ...placed(message.offset, message.direction === "in" ? 0 : 3),
      atMs: message.atMs,
      kind: message.direction === "in" ? "arrives" : "leaves",
      body: renderMessage(timeline.uetr, message, clock),
    })),
    ...timeline.states.map((state): Entry => ({
      ...placed(state.offset, 2),
      atMs: state.atMs,
      kind: "state",
      body: renderState(timeline.uetr, state, clock),
    })),
    ...timeline.facts.map(({ offset, atMs, name, detail }): Entry => ({
      ...placed(offset, 1),
      atMs,
      kind: "fact",
      body: html`<strong>${name}</strong> ${detail}`,
    })),
    ...timeline.pauses.map(({ offset, atMs, name, bank, operator, reason }): Entry => ({
      ...placed(offset, 1),
      atMs,
      kind: "fact",
      body: html`<strong>${name}</strong> ${bank}${operator === null ? "" : ` by ${operator}`}: <q>${reason}</q>`,
    })),
    ...timeline.observations.map(({ offset, atMs, kind, sender, messageIdentification }): Entry => ({
      ...placed(offset, 1),
      atMs,
      kind: "fact",
      body: html`${mark("warns", kind)} message ${messageIdentification} of ${sender} was recorded without effect`,
    })),
  ].toSorted((a, b) => (a.offset === b.offset ? a.place - b.place : a.offset < b.offset ? -1 : 1));
  return html`<ol class="history">
    ${entries.map(
      ({ offset, atMs, kind, body }) =>
        html`<li class="${kind}">
          <span class="when">${showMs(atMs, clock)}</span>
          <div>${body}</div>
          <span class="offset" title="offset in the journal">${String(offset)}</span>
        </li>`,
    )}
  </ol>`;
}

function placed(offset: string, place: number): Pick<Entry, "offset" | "place"> {
  return { offset: BigInt(offset), place };
}

function renderState(uetr: string, { state, stageVersion, event, esmEvent }: TimelineState, clock: Clock): Html {
  return html`${stateMark(state)}
    <span class="quiet">state ${stageVersion}</span>
    ${[event, esmEvent].map((one) => (one === null ? "" : html`<p class="quiet">event ${one.posting === null ? (one.waiting === null ? "on its way to the bank" : "waits") : one.posting.outcome.toLowerCase()} ${renderAttempts(one, clock)} ${requestLink(uetr, "events", one.offset, `event of ${state}`)}</p>`))}`;
}

function renderMessage(uetr: string, message: TimelineMessage, clock: Clock): Html {
  const { direction, operation, bank, messageIdentification, delivery, waiting, dispatchOffset } = message;
  const who = direction === "in" ? html`<strong>${bank}</strong> sent` : html`to <strong>${bank}</strong>:`;
  const outcome =
    delivery === null
      ? waiting === null
        ? ""
        : mark(waiting.isTried ? "waits" : "bad", waiting.isTried ? "not acknowledged" : waiting.stoppedBy === null ? "refused" : "stopped")
      : outcomeMark(delivery);
  return html`${who} ${operation} <span class="quiet">${messageIdentification}</span> ${outcome}
    ${renderAttempts({ posting: delivery, waiting }, clock)}
    ${dispatchOffset === null ? "" : requestLink(uetr, "dispatch", dispatchOffset, messageIdentification)}`;
}

/** What every attempt sends. */
function requestLink(uetr: string, of: "dispatch" | "events", offset: string, what: string): Html {
  return link(`/transactions/${uetr}/request?of=${of}&offset=${offset}`, html`Request<span class="unseen"> of ${what}</span>`);
}

function outcomeMark({ outcome, attempts }: TimelineEnd): Html {
  const tone = outcome === "ACKNOWLEDGED" ? "good" : outcome === "REFUSED" ? "bad" : "warns";
  return html`${mark(tone, outcome.toLowerCase())} <span class="quiet">${attempts === 1 ? "first attempt" : `${attempts} attempts`}</span>`;
}

/** Answers are what a receiver wrote: they are shown as text, masked and cut by who stored them. */
function renderAttempts(
  { posting, waiting }: { readonly posting: TimelineEnd | null; readonly waiting: TimelineParkedMessage | null },
  clock: Clock,
): Html | string {
  const made = waiting ?? posting;
  if (made === null || made.recentAttempts.length === 0) return "";
  return html`<details>
    <summary>${made.recentAttempts.length === 1 ? "1 attempt" : `${made.recentAttempts.length} last attempts`}</summary>
    <ol class="attempts">
      ${made.recentAttempts.map((attempt) => renderAttempt(attempt, clock))}
    </ol>
  </details>`;
}

function renderAttempt({ atMs, httpStatusCode, answer, tookMs, address }: TimelineAttempt, clock: Clock): Html {
  return html`<li>
    ${showMs(atMs, clock)} ${httpStatusCode === null ? "no answer" : `HTTP ${httpStatusCode}`}
    <span class="quiet">${Math.round(tookMs)} ms ${address ?? ""}</span> ${answer === null ? "" : html`<pre>${answer}</pre>`}
  </li>`;
}
