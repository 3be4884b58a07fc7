// Parses when a pause ends automatically: `--until INSTANT`, or `--for 30m`, counted from now by this machine's clock.

import { readDuration } from "@sluice/config/durations";
import { Fault } from "@sluice/kernel";
import type { VerbCall } from "../../terminal/verb.ts";

/** Returns the end as the control API expects it; null: neither option is given. */
export function parsePauseEnd(call: Pick<VerbCall, "value">, nowMs: number): string | null {
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

/** Seconds may be omitted; the offset may not, as writer and reader may be in different zones. */
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
