// `./sluice window extend`, `window credits-final`, `window open-gate`, `bank pause`, `bank resume`: decisions about a day or a bank.

import { Fault, machineTime } from "@sluice/runtime";
import { asControlVerb, type RunControlVerb } from "./control-client.ts";
import { neededOption as needed, runDecision } from "./control-decision.ts";
import { pauseEndIn } from "./pause-end.ts";
import type { Call } from "./verbs.ts";

export const runExtend: RunControlVerb = (call, where) => {
  const day = dayIn(call);
  const window = needed(call, "window");
  const number = window === "reconciliation" ? 0 : Number(window);
  const closesAt = needed(call, "closes-at");
  return runDecision(call, where, machineTime, {
    path: `${day.path}/close-extension`,
    body: { window: number, closesAt },
    what: `${number === 0 ? "reconciliation" : `window ${number}`} of ${day.name} closes at ${closesAt}`,
  });
};

export const runCreditsFinal: RunControlVerb = (call, where) => {
  const day = dayIn(call);
  const bank = call.value("bank");
  return runDecision(call, where, machineTime, {
    path: `${day.path}/credits-final`,
    body: bank === null ? {} : { bank },
    what: `credits of ${day.name} final for ${bank ?? "all banks"}`,
  });
};

export const runOpenGate: RunControlVerb = (call, where) => {
  const day = dayIn(call);
  const bank = needed(call, "bank");
  const credits = needed(call, "credits")
    .split(",")
    .map((uetr) => uetr.trim());
  return runDecision(call, where, machineTime, {
    path: `${day.path}/gate-opening`,
    body: { bank, credits },
    what: `gate of ${bank} on ${day.name} opened over ${credits.length} ${credits.length === 1 ? "credit" : "credits"}`,
  });
};

export const runPause: RunControlVerb = (call, where) => {
  const bank = bankIn(call);
  const until = pauseEndIn(call, machineTime.nowMs());
  return runDecision(call, where, machineTime, {
    path: `/banks/${bank}/pause`,
    body: until === null ? {} : { until },
    what: `pause of ${bank}${until === null ? "" : `, to ${until}`}`,
  });
};

export const runResume: RunControlVerb = (call, where) => {
  const bank = bankIn(call);
  return runDecision(call, where, machineTime, { path: `/banks/${bank}/resume`, body: {}, what: `end of the pause of ${bank}` });
};

export const windowExtend = asControlVerb(runExtend);
export const windowCreditsFinal = asControlVerb(runCreditsFinal);
export const windowOpenGate = asControlVerb(runOpenGate);
export const bankPause = asControlVerb(runPause);
export const bankResume = asControlVerb(runResume);

function dayIn({ positionals: [given = ""] }: Call): { readonly name: string; readonly path: string } {
  const [, scheme, date] = /^([A-Z][A-Z0-9_]*):(\d{4}-\d\d-\d\d)$/.exec(given) ?? [];
  if (scheme !== undefined && date !== undefined) return { name: given, path: `/days/${scheme}/${date}` };
  throw new Fault("cli.no-day", `${given} is no business day (scheme:date, such as ZA_EFT:2026-11-20)`, { isRetryable: false });
}

function bankIn({ positionals: [given = ""] }: Call): string {
  if (/^[a-z0-9-]{1,32}$/.test(given)) return given;
  throw new Fault("cli.no-bank", `${given} is no bank's id (1 to 32 of a-z, 0-9 and -)`, { isRetryable: false });
}
