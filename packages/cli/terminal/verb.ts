// What a verb of `./sluice` is: its entry in the table, and the call that its code gets. Verbs import these types from
// here and not from the table, which imports every verb.

import type { ParseArgsOptionsConfig } from "node:util";

/** The arguments and options of one call, checked against the verb's entry in the table. */
export interface VerbCall {
  readonly positionals: readonly string[];
  flag(name: string): boolean;
  value(name: string): string | null;
  /** Every word after the verb, as typed. */
  readonly raw: readonly string[];
}

export type RunVerb = (call: VerbCall) => Promise<number>;

export interface Verb {
  readonly name: string;
  /** Arguments and options as a person writes them. */
  readonly usage: string;
  /** One line for `./sluice --help`. */
  readonly line: string;
  readonly details: readonly string[];
  readonly options: ParseArgsOptionsConfig;
  /** The least and the most arguments that the verb takes. */
  readonly arguments: readonly [number, number];
  /** Help of a verb that parses its options itself. */
  readonly ownHelp?: () => Promise<string>;
  load(): Promise<RunVerb>;
}

/** The option of a parameter: `business-date` for `businessDate`. */
export function optionName(parameter: string): string {
  return parameter.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
