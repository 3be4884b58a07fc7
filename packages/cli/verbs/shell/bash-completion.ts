// Formats the completion script of bash. It runs in bash 3.2 too, which macOS has.

import type { Verb, VerbArgument, VerbOption } from "../../terminal/verb.ts";
import { firstWords, secondWord, verbGroups } from "./verb-words.ts";

export function formatBashCompletion(table: readonly Verb[]): string {
  const groups = [...verbGroups(table)].map(
    ([first, verbs]) => `    ${first})
      if [ "$COMP_CWORD" -eq 2 ]; then _sluice_words '${verbs.map(secondWord).join(" ")}'; return; fi
      verb="${first} \${COMP_WORDS[2]}" ;;`,
  );
  const values = table.flatMap((verb) => Object.entries(verb.options).flatMap(([name, option]) => valueCase(verb, name, option)));
  const words = table.map(({ name, options }) => `      '${name}') _sluice_words '${optionWords(options)}' ;;`);
  const given = table.flatMap((verb) => argumentCase(verb));
  return `# Completion of ./sluice for bash, printed by \`./sluice completion bash\`.

_sluice_add() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done
}
_sluice_words() { _sluice_add < <(compgen -W "$1" -- "$word"); }
_sluice_paths() {
  _sluice_add < <(compgen "$1" -- "$word")
  compopt -o filenames 2>/dev/null || true
}

_sluice() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} verb=\${COMP_WORDS[1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then _sluice_words '${firstWords(table).join(" ")} --help'; return; fi
  case $verb in
${groups.join("\n")}
  esac
  case "$verb $before" in
${values.join("\n")}
  esac
  case $word in
  -*)
    case $verb in
${words.join("\n")}
    esac ;;
  *)
    case $verb in
${given.join("\n")}
    esac ;;
  esac
}

complete -F _sluice sluice ./sluice
`;
}

function optionWords(options: Verb["options"]): string {
  return [...Object.keys(options), "help"].map((name) => `--${name}`).join(" ");
}

/** After an option with a value only the value is completed. */
function valueCase({ name }: Verb, option: string, spec: VerbOption): readonly string[] {
  if (spec.type === "boolean") return [];
  return [`    '${name} --${option}') ${completeValue(spec) ?? ":"}; return ;;`];
}

/** Which argument a word is cannot be distinguished from options with values, so all are offered. */
function argumentCase({ name, arguments: wanted }: Verb): readonly string[] {
  const commands = new Set(wanted.flatMap((argument) => completeValue(argument) ?? []));
  return commands.size === 0 ? [] : [`      '${name}') ${[...commands].join("; ")} ;;`];
}

function completeValue({ choices, completes }: Pick<VerbArgument, "choices" | "completes">): string | null {
  if (choices !== undefined) return `_sluice_words '${choices.join(" ")}'`;
  if (completes === undefined) return null;
  return `_sluice_paths ${completes === "files" ? "-f" : "-d"}`;
}
