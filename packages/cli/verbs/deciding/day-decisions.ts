// `./sluice window extend`, `window credits-final`, `window open-gate`, `bank pause`, `bank resume`: decisions about a
// day or a bank.

import { Fault, machineTime } from "@sluice/kernel";
import { asControlVerb, controlClient, type RunControlVerb } from "../../terminal/control-client.ts";
import { previewHeld } from "./preview.ts";
import { decisionNotes, decisionOptions, requireOption as needed, runDecision } from "./send-decision.ts";
import { parseNewClose } from "./new-close.ts";
import { parsePauseEnd } from "./pause-end.ts";
import type { Verb, VerbCall } from "../../terminal/verb.ts";

export const runExtend: RunControlVerb = async (call, where) => {
  const day = parseDay(call);
  const window = needed(call, "window");
  const number = window === "reconciliation" ? 0 : Number(window);
  const closesAt = await parseNewClose(call, day.name, number, await controlClient(call, where));
  return await runDecision(call, where, machineTime, {
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
    preview: previewHeld(day.name, bank, "a gate without unresolved credits opens, and these are released; it cannot be withdrawn"),
    confirmedBy: day.name,
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
    preview: previewHeld(day.name, bank, "these are released although those credits are not resolved; it cannot be undone"),
    confirmedBy: bank,
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

const dayArgument = { placeholder: "SCHEME:DATE", text: "the business day, for example ZA_EFT:2026-11-20" } as const;
const bankArgument = { placeholder: "ID", text: "the bank or connector" } as const;

export const windowExtendVerb: Verb = {
  name: "window extend",
  summary: "extends a close that has not been reached, by 24 hours at most",
  arguments: [dayArgument],
  options: {
    window: { type: "string", placeholder: "N", text: "number of the processing window, or reconciliation", isRequired: true },
    "closes-at": {
      type: "string",
      placeholder: "INSTANT",
      text: "the new time: 16:30 in the scheme's zone, or with its offset: 2026-11-20T16:30:00+02:00",
    },
    by: { type: "string", placeholder: "DURATION", text: "later than the close in force, in place of a time: 90s, 30m, 2h" },
    ...decisionOptions,
  },
  notes: decisionNotes,
  examples: [
    'window extend ZA_EFT:2026-11-20 --window 1 --closes-at 16:30 --reason "a bank is late"',
    'window extend ZA_EFT:2026-11-20 --window 1 --by 30m --reason "a bank is late"',
  ],
  run: asControlVerb(runExtend),
};

export const windowCreditsFinalVerb: Verb = {
  name: "window credits-final",
  summary: "declares the credits of a business day final; it cannot be withdrawn",
  arguments: [dayArgument],
  options: { bank: { type: "string", placeholder: "ID", text: "for that bank only; else for all banks" }, ...decisionOptions },
  notes: decisionNotes,
  examples: ['window credits-final ZA_EFT:2026-11-20 --reason "the scheme has declared it by telephone"'],
  run: asControlVerb(runCreditsFinal),
};

export const windowOpenGateVerb: Verb = {
  name: "window open-gate",
  summary: "opens a bank's gate over credits that are not resolved, each of them named",
  arguments: [dayArgument],
  options: {
    bank: { type: "string", placeholder: "ID", text: "the bank", isRequired: true },
    credits: {
      type: "string",
      placeholder: "UETR,…",
      text: "UETRs separated by commas: every credit that keeps the gate closed (./sluice windows lists them)",
      isRequired: true,
    },
    ...decisionOptions,
  },
  notes: decisionNotes,
  examples: [
    'window open-gate ZA_EFT:2026-11-20 --bank sample --credits 0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60 --reason "the bank knows the credit"',
  ],
  run: asControlVerb(runOpenGate),
};

export const bankPauseVerb: Verb = {
  name: "bank pause",
  summary: "pauses a bank or connector: nothing is released, delivered or posted to it",
  arguments: [bankArgument],
  options: {
    until: {
      type: "string",
      placeholder: "INSTANT",
      text: "maintenance: the pause ends automatically then; with its offset: 2026-11-22T03:00+02:00",
    },
    for: { type: "string", placeholder: "DURATION", text: "the same, from now on: 90s, 30m, 2h" },
    ...decisionOptions,
  },
  notes: ["Without an end it lasts until ./sluice bank resume. A second pause changes the end.", ...decisionNotes],
  examples: ['bank pause sample --for 30m --reason "maintenance of the bank"'],
  run: asControlVerb(runPause),
};

export const bankResumeVerb: Verb = {
  name: "bank resume",
  summary: "ends the pause of a bank or connector; waiting messages are due at once, in order",
  arguments: [bankArgument],
  options: decisionOptions,
  notes: decisionNotes,
  examples: ['bank resume sample --reason "the bank answers again"'],
  run: asControlVerb(runResume),
};

function parseDay({ positionals: [given = ""] }: VerbCall): { readonly name: string; readonly path: string } {
  const [, scheme, date] = /^([A-Z][A-Z0-9_]*):(\d{4}-\d\d-\d\d)$/.exec(given) ?? [];
  if (scheme !== undefined && date !== undefined) return { name: given, path: `/days/${scheme}/${date}` };
  throw new Fault("cli.no-day", `${given} is no business day (scheme:date, such as ZA_EFT:2026-11-20)`, { isRetryable: false });
}

function parseBankId({ positionals: [given = ""] }: VerbCall): string {
  if (/^[a-z0-9-]{1,32}$/.test(given)) return given;
  throw new Fault("cli.no-bank", `${given} is no bank's id (1 to 32 of a-z, 0-9 and -)`, { isRetryable: false });
}
