// When the held debits of a day are through, in words.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { showDistance, showTime, type Clock } from "./clock.ts";
import { mark, plural, type Html } from "./html.ts";

type Outlook = AnswerOf<"showDayOutlook">;

const finishes = {
  "nothing-held": ["good", "nothing is held"],
  "not-known": ["waits", "not known yet: this console has to look for some minutes"],
  "does-not-fall": ["warns", "the number of held debits does not fall"],
  "before-window-close": ["good", "before the last window closes"],
  "after-window-close": ["bad", "after the last window closes: what is still held then is carried over or becomes an item"],
  "after-reconciliation-close": ["bad", "after the reconciliation close"],
} as const;

/** "12 held debits fall by 3 a minute: over in 4 min, before the last window closes". */
export function showFinish({ held, trend, finish }: Outlook, clock: Clock): Html {
  const [tone, word] = finishes[finish];
  const emptyAt = trend?.emptyAt ?? null;
  const rate =
    held === 0 || trend === null || emptyAt === null
      ? ""
      : html`${plural(held, "held debit")}, ${trend.perMinute} fewer each minute: through ${showTime(emptyAt, clock)}
          <span class="quiet">${showDistance(emptyAt, clock)}</span>,`;
  return html`${rate} ${mark(tone, word)}`;
}
