// The environment of the rules verbs: where results go and today's date; and how they choose a rule book.

import { readConfigurationFile, readRulesFolder } from "@sluice/config";
import type { RuleBook } from "@sluice/account-validation";
import { Fault } from "@sluice/kernel";
import type { VerbCall } from "../../terminal/verb.ts";

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
export type RunRulesVerb = (call: VerbCall, terminal: RulesTerminal) => number;

export const exitFailed = 1;
const exitUsage = 2;

const wrongUseCode = "cli.wrong-use";

/** A Fault that is reported in one line. */
export function misuse(text: string): Fault {
  return new Fault(wrongUseCode, text, { isRetryable: false });
}

export function reportRulesMisuse(name: string, run: RunRulesVerb): RunRulesVerb {
  return (call, where) => {
    try {
      return run(call, where);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== wrongUseCode) throw error;
      where.err(`sluice: ${name}: ${error.message}; see ./sluice ${name} --help`);
      return exitUsage;
    }
  };
}

export interface ChosenRules {
  /** Folder of imported data; null: only the shipped data. */
  readonly folder: string | null;
  readonly refuseOn: "high" | "medium";
}

/** Chooses the data of --folder, of the configuration file of --config, or the shipped data. */
export function chosenRules(call: VerbCall, { environment }: RulesTerminal): ChosenRules {
  const folder = call.value("folder");
  const config = call.value("config");
  if (folder !== null && config !== null) throw misuse("--folder and --config do not go together");
  if (config === null) return { folder, refuseOn: "high" };
  const { rulesFolder, cdv } = readConfigurationFile(config, environment);
  return { folder: rulesFolder, refuseOn: cdv.refuseOn };
}

export function readChosenRuleBook(call: VerbCall, where: RulesTerminal): RuleBook {
  return readRulesFolder(chosenRules(call, where).folder);
}

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
