// A page as server-sent events: its content each time it has changed, and the clock. The script of a page that shows
// live numbers reads them; without script the page is read as it is.
//
// #1 A stream ends with its session, also one that ends elsewhere. It keeps no session alive.
// #2 Streams are bounded (`liveStreamLimits`): the script of a further page asks for the page again and again instead.
// #3 A page that takes long to make is made less often: a fifth of the time at most goes into it.

import { sleep, type Time } from "@sluice/kernel";
import { eventStreamType, formatEvent, stillThere } from "../http/event-stream.ts";
import { toControlResponse } from "../http/control-response.ts";
import type { RequestSlot } from "../http/request-slots.ts";

export const liveStreamLimits = {
  own: { slotsMax: 64, slotsPerCallerMax: 8 },
  banks: { slotsMax: 16, slotsPerCallerMax: 2 },
} as const;
const everyMinMs = 500;
const restFactor = 4;

/** A page as it is now; `ended`: the session has ended; `failed`: why it could not be made. */
export type LivePage =
  | { readonly kind: "page"; readonly content: string; readonly clock: string }
  | { readonly kind: "ended" }
  | { readonly kind: "failed"; readonly detail: string };

export function streamPage(time: Time, slot: RequestSlot, make: () => Promise<LivePage>): Response {
  const text = listPages(time, make);
  const sending = { onEnd: () => slot.release(), onError: () => slot.release() };
  return toControlResponse({ kind: "text", contentType: eventStreamType, text }, sending);
}

async function* listPages(time: Time, make: () => Promise<LivePage>): AsyncGenerator<string> {
  let last = { content: "", clock: "" };
  while (true) {
    const startedMs = time.monotonicMs();
    const made = await make();
    if (made.kind === "ended") {
      yield formatEvent("ended", "");
      return;
    }
    if (made.kind === "failed") {
      yield formatEvent("failed", made.detail);
    } else {
      const { content, clock } = made;
      const changed = { ...(content === last.content ? {} : { content }), ...(clock === last.clock ? {} : { clock }) };
      last = { content, clock };
      yield Object.keys(changed).length === 0 ? stillThere : formatEvent("page", JSON.stringify(changed));
    }
    await sleep(time, Math.max(everyMinMs, restFactor * (time.monotonicMs() - startedMs)));
  }
}
