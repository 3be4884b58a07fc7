// streamOverview: the overview as server-sent events, each time it has changed.
//
// #1 A stream holds a slot of a request while it lasts: an operator has `streamsOfOneMax`, all have `streamsMax`.
// #2 It ends after `streamMaxMs`, so that its reader asks again, and is asked for its token again.

import { sleep, type Time } from "@sluice/kernel";
import { bigintAsText } from "../http/control-response.ts";
import type { ControlHandler, Operator } from "../http/control-handler.ts";
import { eventStreamType, formatEvent, stillThere } from "../http/event-stream.ts";
import { createRequestSlots } from "../http/request-slots.ts";
import type { Overview } from "./show-overview.ts";

const streamsMax = 32;
export const streamsOfOneMax = 4;
export const streamMaxMs = 60_000;
const everyMs = 500;
const quietMaxMs = 10_000;

interface StreamPorts {
  readonly time: Time;
  readonly overview: Overview;
}

export function streamOverview(ports: StreamPorts): ControlHandler {
  const slots = createRequestSlots({ slotsMax: streamsMax, slotsPerCallerMax: streamsOfOneMax });
  return async ({ operator }) => {
    const slot = slots.acquire(operator.id);
    if (slot === null) return { kind: "unavailable", detail: "Too many streams are open. Close one, or ask again in a minute." };
    return await Promise.resolve({
      kind: "text",
      contentType: eventStreamType,
      text: endWith(listChanges(ports, operator.schemes), () => slot.release()),
    });
  };
}

async function* listChanges({ time, overview }: StreamPorts, schemes: Operator["schemes"]): AsyncGenerator<string> {
  const endsAtMs = time.monotonicMs() + streamMaxMs;
  let last = "";
  let sentAtMs = time.monotonicMs();
  while (time.monotonicMs() < endsAtMs) {
    const body = await overview.read(schemes);
    const text = JSON.stringify(body, bigintAsText);
    const nowMs = time.monotonicMs();
    const content = withoutTimes(text);
    if (content !== last) yield formatEvent("overview", text);
    else if (nowMs - sentAtMs >= quietMaxMs) yield stillThere;
    if (content !== last || nowMs - sentAtMs >= quietMaxMs) sentAtMs = nowMs;
    last = content;
    await sleep(time, everyMs);
  }
}

/** When something was counted is no change by itself. */
function withoutTimes(text: string): string {
  return text.replaceAll(/"(?:asOf|countedAt|heldCountedAt|statesCountedAt)":"[^"]*"/g, "");
}

/** #1 Also a reader that leaves before the first part gives its slot back. */
function endWith(parts: AsyncGenerator<string>, onEnd: () => void): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const next = await parts.next().catch((error: unknown) => {
          onEnd();
          throw error;
        });
        if (next.done === true) onEnd();
        return next;
      },
      async return() {
        onEnd();
        return await parts.return(undefined);
      },
    }),
  };
}
