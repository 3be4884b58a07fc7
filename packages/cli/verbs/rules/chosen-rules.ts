// Chooses the rule book of a call: the shipped data, and what was imported into a folder.

import { readConfigurationFile, readRulesFolder } from "@sluice/config";
import type { RuleBook } from "@sluice/account-validation";
import { misuse, type RulesTerminal } from "./rules-terminal.ts";
import type { VerbCall } from "../../terminal/verb.ts";

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
