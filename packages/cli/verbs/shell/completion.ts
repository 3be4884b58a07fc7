// `./sluice completion`: prints a script by which a shell completes verbs, options, their choices, and files. The
// script is text alone: a shell starts no process to complete a word.

import { exitUsage } from "../../terminal/exit-codes.ts";
import type { Verb } from "../../terminal/verb.ts";

const formats = {
  bash: async () => (await import("./bash-completion.ts")).formatBashCompletion,
  zsh: async () => (await import("./zsh-completion.ts")).formatZshCompletion,
  fish: async () => (await import("./fish-completion.ts")).formatFishCompletion,
} as const;
const shells = Object.keys(formats);

export const completionVerb: Verb = {
  name: "completion",
  summary: "prints a script that completes verbs, options and files in a shell",
  arguments: [{ placeholder: "SHELL", text: "the shell", choices: shells }],
  options: {},
  notes: [
    'bash: eval "$(./sluice completion bash)", in ~/.bashrc for every session. zsh: the same with zsh, after compinit.',
    "fish: ./sluice completion fish | source, or into ~/.config/fish/completions/sluice.fish.",
  ],
  examples: ["completion bash"],
  async run({ positionals: [given] }, loadTable) {
    const [, load] = Object.entries(formats).find(([shell]) => shell === given) ?? [];
    if (load === undefined) {
      process.stderr.write(`sluice: completion: the shell is one of ${shells.join(", ")}\n`);
      return exitUsage;
    }
    const format = await load();
    process.stdout.write(format(await loadTable()));
    return 0;
  },
};
