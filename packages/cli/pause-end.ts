// When a pause ends by itself, as a person says it: `--until INSTANT`, or `--for 30m`, counted from now by this machine's clock.

import { readDuration } from "@sluice/config";
import { Fault } from "@sluice/runtime";
import type { Call } from "./verbs.ts";

/** As the control API takes it; null: neither is given. */
export function pauseEndIn(call: Pick<Call, "value">, nowMs: number): string | null {
  const [until, duration] = [call.value("until"), call.value("for")];
  if (until !== null && duration !== null) throw unfit("--until or --for, not both");
  if (duration !== null) return afterText(duration, nowMs);
  return until === null ? null : instantText(until);
}

function afterText(duration: string, nowMs: number): string {
  const ms = readDuration(duration);
  if (ms === null || ms === 0) throw unfit("--for: a duration such as 90s, 30m or 2h");
  return Temporal.Instant.fromEpochMilliseconds(nowMs + ms).toString();
}

/** Seconds may be left out, the offset may not: whoever types it and whoever reads it may be in different zones. */
function instantText(text: string): string {
  try {
    return Temporal.Instant.from(text).toString();
  } catch {
    throw unfit("--until: an instant with its offset, such as 2026-11-22T03:00+02:00");
  }
}

function unfit(text: string): Fault {
  return new Fault("cli.unfit-option", text, { isRetryable: false });
}
