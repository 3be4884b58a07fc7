// Formats the completion script of zsh.

import { describeWord } from "../../terminal/verb-help.ts";
import type { Verb, VerbArgument, VerbOption } from "../../terminal/verb.ts";
import { describeFirstWord, firstWords, secondWord, verbGroups } from "./verb-words.ts";

export function formatZshCompletion(table: readonly Verb[]): string {
  const first = firstWords(table).map((word) => `    ${quote(`${word}:${describeFirstWord(word, table)}`)}`);
  const groups = [...verbGroups(table)].map(
    ([word, verbs]) => `    ${word})
      if (( CURRENT == 3 )); then
        choices=(${verbs.map((verb) => quote(`${secondWord(verb)}:${verb.summary}`)).join(" ")})
        _describe verb choices
        return
      fi
      verb="$verb $words[3]"
      shift words
      (( CURRENT-- )) ;;`,
  );
  const verbs = table.map((verb) => `    ${quote(verb.name)}) _arguments ${buildArguments(verb).map(quote).join(" ")} ;;`);
  return `#compdef sluice
# Completion of ./sluice for zsh, printed by \`./sluice completion zsh\`.

_sluice() {
  local -a choices
  local verb=$words[2]
  if (( CURRENT == 2 )); then
    choices=(
${first.join("\n")}
    )
    _describe verb choices
    return
  fi
  case $verb in
${groups.join("\n")}
  esac
  shift words
  (( CURRENT-- ))
  case $verb in
${verbs.join("\n")}
  esac
}

if [[ $funcstack[1] == _sluice ]]; then _sluice "$@"; else compdef _sluice sluice ./sluice; fi
`;
}

function buildArguments({ arguments: wanted, options }: Verb): readonly string[] {
  return [
    ...Object.entries(options).map(([name, option]) => `--${name}[${escapeSpec(describeWord(option))}]${valueSpec(option)}`),
    "--help[shows the help of the verb]",
    ...wanted.map((argument, index) => `${placeSpec(argument, index)}:${escapeSpec(argument.placeholder)}:${completeValue(argument)}`),
  ];
}

function valueSpec(option: VerbOption): string {
  return option.type === "boolean" ? "" : `:${escapeSpec(option.placeholder)}:${completeValue(option)}`;
}

function placeSpec({ count: [least, most] = [1, 1] }: VerbArgument, index: number): string {
  if (most > 1) return "*";
  return least === 0 ? `${index + 1}:` : String(index + 1);
}

function completeValue({ choices, completes }: Pick<VerbArgument, "choices" | "completes">): string {
  if (choices !== undefined) return `(${choices.join(" ")})`;
  if (completes === undefined) return " ";
  return completes === "files" ? "_files" : "_files -/";
}

function escapeSpec(text: string): string {
  return text.replaceAll(/[\\[\]:]/g, String.raw`\$&`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
