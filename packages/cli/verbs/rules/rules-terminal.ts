// The environment of the rules verbs: where results go and today's date; and how they read dates and choices.

import { Fault } from "@sluice/kernel";
import { exitUsage } from "../../terminal/exit-codes.ts";
import type { RunVerb, VerbCall, VerbOptions } from "../../terminal/verb.ts";

export interface RulesTerminal {
  out(text: string): void;
  err(text: string): void;
  /** Today's date in the operator's zone, YYYY-MM-DD. */
  today(): string;
  /** The present instant, RFC 3339. */
  now(): string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const rulesTerminal: RulesTerminal = {
  out: (text) => void process.stdout.write(`${text}\n`),
  err: (text) => void process.stderr.write(`${text}\n`),
  today: () => Temporal.Now.plainDateISO().toString(),
  now: () => Temporal.Now.instant().toString({ smallestUnit: "second" }),
  environment: process.env,
};

/** The code of a rules verb; it writes to the given terminal. */
export type RunRulesVerb = (call: VerbCall, terminal: RulesTerminal) => Promise<number>;

export function asRulesVerb(run: RunRulesVerb): RunVerb {
  return (call) => run(call, rulesTerminal);
}

export const exitFailed = 1;

const wrongUseCode = "cli.wrong-use";

/** A Fault that is reported in one line. */
export function misuse(text: string): Fault {
  return new Fault(wrongUseCode, text, { isRetryable: false });
}

export function reportRulesMisuse(name: string, run: RunRulesVerb): RunRulesVerb {
  return async (call, where) => {
    try {
      return await run(call, where);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== wrongUseCode) throw error;
      where.err(`sluice: ${name}: ${error.message}; see ./sluice ${name} --help`);
      return exitUsage;
    }
  };
}

/** Options by which a verb chooses the folder of imported data. */
export const rulesFolderOptions = {
  config: { type: "string", placeholder: "FILE", text: "configuration file whose rulesFolder has the imported data", completes: "files" },
  folder: { type: "string", placeholder: "DIR", text: "the folder of imported data itself", completes: "folders" },
} as const satisfies VerbOptions;

export function parseDateOption(call: VerbCall, name: string, otherwise: string): string {
  const given = call.value(name);
  if (given === null) return otherwise;
  if (/^\d{4}-\d\d-\d\d$/.test(given) && isDate(given)) return given;
  throw misuse(`--${name} is a date, YYYY-MM-DD`);
}

function isDate(text: string): boolean {
  try {
    Temporal.PlainDate.from(text, { overflow: "reject" });
    return true;
  } catch {
    return false;
  }
}

export function parseChoiceOption<Choice extends string>(
  call: VerbCall,
  name: string,
  choices: readonly Choice[],
  otherwise: Choice | null,
): Choice {
  const given = call.value(name);
  const chosen = given === null ? otherwise : choices.find((one) => one === given);
  if (chosen === null || chosen === undefined) throw misuse(`--${name} is one of ${choices.join(", ")}`);
  return chosen;
}
