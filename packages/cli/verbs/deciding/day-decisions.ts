// `./sluice window extend`, `window credits-final`, `window open-gate`, `bank pause`, `bank resume`: decisions about a
// day or a bank.

import { Fault, machineTime } from "@sluice/kernel";
import { asControlVerb, type RunControlVerb } from "../../terminal/control-client.ts";
import { requireOption as needed, runDecision } from "./send-decision.ts";
import { parsePauseEnd } from "./pause-end.ts";
import type { VerbCall } from "../../terminal/verb.ts";

export const runExtend: RunControlVerb = (call, where) => {
  const day = parseDay(call);
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
  const day = parseDay(call);
  const bank = call.value("bank");
  return runDecision(call, where, machineTime, {
    path: `${day.path}/credits-final`,
    body: bank === null ? {} : { bank },
    what: `credits of ${day.name} final for ${bank ?? "all banks"}`,
  });
};

export const runOpenGate: RunControlVerb = (call, where) => {
  const day = parseDay(call);
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
  const bank = parseBankId(call);
  const until = parsePauseEnd(call, machineTime.nowMs());
  return runDecision(call, where, machineTime, {
    path: `/banks/${bank}/pause`,
    body: until === null ? {} : { until },
    what: `pause of ${bank}${until === null ? "" : `, to ${until}`}`,
  });
};

export const runResume: RunControlVerb = (call, where) => {
  const bank = parseBankId(call);
  return runDecision(call, where, machineTime, { path: `/banks/${bank}/resume`, body: {}, what: `end of the pause of ${bank}` });
};

export const windowExtend = asControlVerb(runExtend);
export const windowCreditsFinal = asControlVerb(runCreditsFinal);
export const windowOpenGate = asControlVerb(runOpenGate);
export const bankPause = asControlVerb(runPause);
export const bankResume = asControlVerb(runResume);

function parseDay({ positionals: [given = ""] }: VerbCall): { readonly name: string; readonly path: string } {
  const [, scheme, date] = /^([A-Z][A-Z0-9_]*):(\d{4}-\d\d-\d\d)$/.exec(given) ?? [];
  if (scheme !== undefined && date !== undefined) return { name: given, path: `/days/${scheme}/${date}` };
  throw new Fault("cli.no-day", `${given} is no business day (scheme:date, such as ZA_EFT:2026-11-20)`, { isRetryable: false });
}

function parseBankId({ positionals: [given = ""] }: VerbCall): string {
  if (/^[a-z0-9-]{1,32}$/.test(given)) return given;
  throw new Fault("cli.no-bank", `${given} is no bank's id (1 to 32 of a-z, 0-9 and -)`, { isRetryable: false });
}
