// What the verbs on rules speak to: where results go, what day it is, and which rule book is meant.

import { readConfigurationFile, readRulesFolder } from "@sluice/config";
import type { RuleBook } from "@sluice/account-validation";
import { Fault } from "@sluice/runtime";
import type { Call } from "./verbs.ts";

export interface RulesTerminal {
  out(text: string): void;
  err(text: string): void;
  /** YYYY-MM-DD, where the operator sits. */
  today(): string;
  /** RFC 3339. */
  now(): string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const terminal: RulesTerminal = {
  out: (text) => void process.stdout.write(`${text}\n`),
  err: (text) => void process.stderr.write(`${text}\n`),
  today: () => Temporal.Now.plainDateISO().toString(),
  now: () => Temporal.Now.instant().toString({ smallestUnit: "second" }),
  environment: process.env,
};

/** What a verb does, apart from where it says it. */
export type RunRulesVerb = (call: Call, terminal: RulesTerminal) => number;

export const exitFailed = 1;
const exitUsage = 2;

const wrongUseCode = "cli.wrong-use";

/** Said in one line. */
export function wrongUse(text: string): Fault {
  return new Fault(wrongUseCode, text, { isRetryable: false });
}

export function saying(name: string, run: RunRulesVerb): RunRulesVerb {
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
  /** Null: what ships alone. */
  readonly folder: string | null;
  readonly refuseOn: "high" | "medium";
}

/** From --folder, or from the configuration file of --config, or what ships. */
export function chosenRules(call: Call, { environment }: RulesTerminal): ChosenRules {
  const folder = call.value("folder");
  const config = call.value("config");
  if (folder !== null && config !== null) throw wrongUse("--folder and --config do not go together");
  if (config === null) return { folder, refuseOn: "high" };
  const { rulesFolder, cdv } = readConfigurationFile(config, environment);
  return { folder: rulesFolder, refuseOn: cdv.refuseOn };
}

export function bookOfCall(call: Call, where: RulesTerminal): RuleBook {
  return readRulesFolder(chosenRules(call, where).folder);
}

export function dateOf(call: Call, name: string, otherwise: string): string {
  const given = call.value(name);
  if (given === null) return otherwise;
  if (/^\d{4}-\d\d-\d\d$/.test(given) && isDate(given)) return given;
  throw wrongUse(`--${name} is a date, YYYY-MM-DD`);
}

function isDate(text: string): boolean {
  try {
    Temporal.PlainDate.from(text, { overflow: "reject" });
    return true;
  } catch {
    return false;
  }
}

export function oneOf<Choice extends string>(call: Call, name: string, choices: readonly Choice[], otherwise: Choice | null): Choice {
  const given = call.value(name);
  const chosen = given === null ? otherwise : choices.find((one) => one === given);
  if (chosen === null || chosen === undefined) throw wrongUse(`--${name} is one of ${choices.join(", ")}`);
  return chosen;
}
