// `./sluice man`: prints the manual page of all verbs, in roff.

import type { Verb } from "../../terminal/verb.ts";

export const manVerb: Verb = {
  name: "man",
  summary: "prints the manual page of all verbs, for man",
  arguments: [],
  options: {},
  notes: ["To read it: ./sluice man | man -l -. macOS: ./sluice man | mandoc -a."],
  examples: ["man"],
  async run(_call, loadTable) {
    const { formatManPage } = await import("./man-page.ts");
    process.stdout.write(formatManPage(await loadTable()));
    return 0;
  },
};
