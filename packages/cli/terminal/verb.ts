// What a verb of `./sluice` is: one entry, and the call that its code gets. Command line, help, completions and manual
// are made from the entry. Verbs import these types from here and not from the table, which imports every verb.
//
// #1 An option without a text does not compile, so help names every option.
// #2 A file with an entry is loaded when its verb is called, and when all verbs are described. What is large is
//    imported by `run`.

/** The arguments and options of one call, checked against the verb's entry. */
export interface VerbCall {
  readonly positionals: readonly string[];
  flag(name: string): boolean;
  value(name: string): string | null;
  /** Every word after the verb, as typed. */
  readonly raw: readonly string[];
}

/** `loadTable` loads all verbs, for the verbs that describe them: an import of the list would be a circle. */
export type RunVerb = (call: VerbCall, loadTable: () => Promise<readonly Verb[]>) => Promise<number>;

/** What a word on the command line may be, for completions. */
interface WordValues {
  /** The only values that fit; help lists them after the text. */
  readonly choices?: readonly string[];
  readonly completes?: "files" | "folders";
}

interface FlagOption {
  readonly type: "boolean";
  readonly text: string;
}

interface ValueOption extends WordValues {
  readonly type: "string";
  readonly placeholder: string;
  readonly text: string;
  /** The usage line shows it without brackets, and a call without it is refused. */
  readonly isRequired?: true;
}

/** #1 */
export type VerbOption = FlagOption | ValueOption;
export type VerbOptions = Readonly<Record<string, VerbOption>>;

export interface VerbArgument extends WordValues {
  readonly placeholder: string;
  readonly text: string;
  /** How many words it takes at least and at most; one if it is missing. Only the last argument takes several. */
  readonly count?: readonly [number, number];
}

export interface Verb {
  readonly name: string;
  /** One sentence for its help and the manual page. */
  readonly summary: string;
  readonly arguments: readonly VerbArgument[];
  readonly options: VerbOptions;
  /** Sentences below the options: exit codes, where data is. */
  readonly notes?: readonly string[];
  /** Words after `./sluice`, as a person types them. */
  readonly examples: readonly [string, ...string[]];
  readonly run: RunVerb;
}

export const jsonOption = { type: "boolean", text: "prints the result as JSON" } as const satisfies VerbOption;

export const uetrArgument = { placeholder: "UETR", text: "the transaction" } as const satisfies VerbArgument;

/** The least and the most words that a verb takes besides its options. */
export function countArguments({ arguments: wanted }: Pick<Verb, "arguments">): readonly [number, number] {
  const counts = wanted.map(({ count = [1, 1] }) => count);
  return [counts.reduce((sum, [least]) => sum + least, 0), counts.reduce((sum, [, most]) => sum + most, 0)];
}

/** The option of a parameter: `business-date` for `businessDate`. */
export function optionName(parameter: string): string {
  return parameter.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export function isRequired(option: VerbOption): boolean {
  return option.type === "string" && option.isRequired === true;
}

export function optionText(option: string, spec: VerbOption): string {
  return spec.type === "string" ? `--${option} ${spec.placeholder}` : `--${option}`;
}

export function argumentText({ placeholder, count: [least, most] = [1, 1] }: VerbArgument): string {
  const text = most > 1 ? `${placeholder}…` : placeholder;
  return least === 0 ? `[${text}]` : text;
}
