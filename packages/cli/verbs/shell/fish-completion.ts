// Formats the completion script of fish.

import { describeWord } from "../../terminal/verb-help.ts";
import type { Verb, VerbArgument, VerbOption } from "../../terminal/verb.ts";
import { describeFirstWord, firstWords, secondWord, verbGroups } from "./verb-words.ts";

export function formatFishCompletion(table: readonly Verb[]): string {
  const first = firstWords(table).map(
    (word) => `complete -c sluice -n __sluice_after -a ${word} -d ${quote(describeFirstWord(word, table))}`,
  );
  const second = [...verbGroups(table)].flatMap(([word, verbs]) =>
    verbs.map((verb) => `complete -c sluice -n ${quote(`__sluice_after ${word}`)} -a ${secondWord(verb)} -d ${quote(verb.summary)}`),
  );
  return `# Completion of ./sluice for fish, printed by \`./sluice completion fish\`.

# True if exactly these words are before the cursor.
function __sluice_after
    set -l typed (commandline -opc)
    set -e typed[1]
    test "$typed" = "$argv"
end

# True if the words before the cursor begin with these.
function __sluice_in
    set -l typed (commandline -opc)
    set -e typed[1]
    set -l wanted (count $argv)
    test "$typed[1..$wanted]" = "$argv"
end

complete -c sluice -f
complete -c sluice -l help -d 'shows the help'
${[...first, ...second, ...table.flatMap(verbLines)].join("\n")}
`;
}

function verbLines({ name, arguments: wanted, options }: Verb): readonly string[] {
  const start = `complete -c sluice -n ${quote(`__sluice_in ${name}`)}`;
  return [
    ...Object.entries(options).map(([option, spec]) => `${start} -l ${option}${valueFlags(spec)} -d ${quote(describeWord(spec))}`),
    ...wanted.flatMap((argument) => {
      const flags = completeValue(argument);
      return flags === null ? [] : [`${start}${flags} -d ${quote(argument.text)}`];
    }),
  ];
}

function valueFlags(option: VerbOption): string {
  if (option.type === "boolean") return "";
  return option.completes === "files" ? " -r -F" : ` -x${completeValue(option) ?? ""}`;
}

/** Null: nothing is known of the value. */
function completeValue({ choices, completes }: Pick<VerbArgument, "choices" | "completes">): string | null {
  if (choices !== undefined) return ` -a ${quote(choices.join(" "))}`;
  if (completes === undefined) return null;
  return completes === "files" ? " -F" : " -a '(__fish_complete_directories)'";
}

function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
