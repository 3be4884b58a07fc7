// When the held debits of a day are through, in words.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { showDistance, showTime, type Clock } from "./clock.ts";
import { mark, plural, type Html } from "./html.ts";

type Outlook = AnswerOf<"showDayOutlook">;

const finishes = {
  "nothing-held": ["good", "none", ""],
  "not-known": ["waits", "not known yet", "This console has to look for some minutes."],
  "does-not-fall": ["warns", "does not fall", "The number of held debits stays or rises."],
  "before-window-close": ["good", "in time", "That is before the last window closes."],
  "after-window-close": ["bad", "too late", "That is after the last window closes: what is held then is carried over or becomes an item."],
  "after-reconciliation-close": ["bad", "too late", "That is after the reconciliation close."],
} as const;

/** "12 held debits, 3 fewer each minute: through 16:04. In time." A mark does not wrap, so it has few words. */
export function showFinish({ held, trend, finish }: Outlook, clock: Clock): Html {
  const [tone, word, text] = finishes[finish];
  const emptyAt = trend?.emptyAt ?? null;
  const rate =
    held === 0 || trend === null || emptyAt === null
      ? ""
      : html`${plural(held, "held debit")}, ${trend.perMinute} fewer each minute: through ${showTime(emptyAt, clock)}
          <span class="quiet">${showDistance(emptyAt, clock)}</span>.`;
  return html`${mark(tone, word)} ${rate} ${text}`;
}
