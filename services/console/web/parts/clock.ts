// Times as a person reads them: local time of the scheme, with UTC beside it.

import { html } from "hono/html";
import type { Html } from "./html.ts";

export interface Clock {
  /** Time zone of the scheme. */
  readonly zone: string;
  /** Now by the broker clock, epoch milliseconds; null: not known. */
  readonly nowMs: number | null;
}

/** "16:00 (14:00 UTC)"; another date than today's is named. */
export function showTime(at: string | null, clock: Clock): Html | string {
  if (at === null) return "–";
  const local = Temporal.Instant.from(at).toZonedDateTimeISO(clock.zone);
  const utc = Temporal.Instant.from(at).toZonedDateTimeISO("UTC");
  const today = clock.nowMs === null ? null : Temporal.Instant.fromEpochMilliseconds(clock.nowMs).toZonedDateTimeISO(clock.zone);
  const isToday = today?.toPlainDate().equals(local.toPlainDate()) === true;
  return html`<time datetime="${at}"
    >${isToday ? "" : `${dateText(local)} `}${timeText(local)} <span class="utc">${timeText(utc)} UTC</span></time
  >`;
}

export function showMs(atMs: number | null, clock: Clock): Html | string {
  return showTime(atMs === null ? null : Temporal.Instant.fromEpochMilliseconds(atMs).toString({ fractionalSecondDigits: 3 }), clock);
}

const instants = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/;

/** A sentence of the API, with each instant in it as a person reads times. */
export function showSentence(text: string, clock: Clock): Html | string {
  const [at] = instants.exec(text) ?? [];
  if (at === undefined) return text;
  const place = text.indexOf(at);
  return html`${text.slice(0, place)}${showTime(at, clock)}${showSentence(text.slice(place + at.length), clock)}`;
}

/** "in 3 h 13 min", "9 s ago"; an empty text where the time or now is not known. */
export function showDistance(at: string | null, { nowMs }: Clock): string {
  if (at === null || nowMs === null) return "";
  const seconds = Math.round((Temporal.Instant.from(at).epochMilliseconds - nowMs) / 1_000);
  if (seconds === 0) return "now";
  const text = spanText(Math.abs(seconds));
  return seconds < 0 ? `${text} ago` : `in ${text}`;
}

/** The begin of a date of a zone, or of the one `daysOn` later. */
export function dateInstant(date: string, zone: string, daysOn: number): string {
  return Temporal.PlainDate.from(date).add({ days: daysOn }).toZonedDateTime(zone).toInstant().toString({ fractionalSecondDigits: 3 });
}

/** Said only of a count that is not of this moment: a note that moves with each count would be noise. */
const freshMs = 15_000;

export function showCounted(at: string | null, clock: Clock): Html | string {
  if (at === null || clock.nowMs === null || clock.nowMs - Temporal.Instant.from(at).epochMilliseconds < freshMs) return "";
  return html`<p class="quiet">Counted ${showTime(at, clock)}.</p>`;
}

function spanText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d`;
}

/** "Mon 23 Nov". */
export function showDate(date: string): string {
  return Temporal.PlainDate.from(date).toLocaleString("en-GB", { weekday: "short", day: "numeric", month: "short" });
}

function dateText(local: Temporal.ZonedDateTime): string {
  return showDate(local.toPlainDate().toString());
}

/** Seconds only where they say something. */
function timeText(local: Temporal.ZonedDateTime): string {
  return local.toPlainTime().toString({ smallestUnit: local.second === 0 ? "minute" : "second" });
}
