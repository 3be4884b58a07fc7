// The scripts of completions are run in the shells that this machine has.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verbs } from "../../verbs.fixture.ts";
import { formatBashCompletion } from "./bash-completion.ts";
import { formatFishCompletion } from "./fish-completion.ts";
import { formatZshCompletion } from "./zsh-completion.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-completion-"));
  writeFileSync(join(folder, "one message.json"), "");
  writeFileSync(join(folder, "one.yaml"), "");
  mkdirSync(join(folder, "profiles"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasShell = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

/** What bash offers for the last word of each case. One shell answers all, because reading the script is slow. */
function completeEachInBash(cases: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const script = `${formatBashCompletion(verbs)}
ask() {
  COMP_WORDS=(./sluice "$@"); COMP_CWORD=$#; COMPREPLY=()
  _sluice
  printf '%s\\n' "\${COMPREPLY[@]}" "${caseEnd}"
}
${cases.map((words) => `ask ${words.map((word) => `'${word}'`).join(" ")}`).join("\n")}`;
  const { stdout, stderr, status } = spawnSync("bash", [], { cwd: folder, encoding: "utf8", input: script });
  expect([status, stderr]).toEqual([0, ""]);
  const offered = stdout.split(`${caseEnd}\n`).map((part) => part.split("\n").filter((line) => line !== ""));
  return offered.slice(0, cases.length);
}

const caseEnd = "-- end of a case --";

function completeInBash(...words: readonly string[]): readonly string[] {
  return completeEachInBash([words])[0] ?? [];
}

describe("in bash", () => {
  test("every verb is offered, by its first and its second word", () => {
    const asked = verbs.flatMap(({ name }) =>
      name.split(" ").map((word, place, words) => ({ word, words: [...words.slice(0, place), ""] })),
    );
    const offered = completeEachInBash(asked.map(({ words }) => words));
    expect(asked.filter(({ word }, index) => offered[index]?.includes(word) !== true)).toEqual([]);
  });

  test("every option of every verb is offered, and no other", () => {
    const offered = completeEachInBash(verbs.map(({ name }) => [...name.split(" "), "--"]));
    expect(Object.fromEntries(verbs.map(({ name }, index) => [name, offered[index]]))).toEqual(
      Object.fromEntries(verbs.map(({ name, options }) => [name, [...Object.keys(options), "help"].map((option) => `--${option}`)])),
    );
  });

  test.each([
    [["win"], ["windows", "window"]],
    [["bank", "pa"], ["pause", "pause-all"]],
    [["logs", "dis"], ["dispatcher"]],
    [
      ["logs", "--level", ""],
      ["debug", "info", "warn", "error"],
    ],
    [["logs", "--level", "warn", "--fo"], ["--follow"]],
    [["reconciliation", "export", "--format", "i"], ["iso20022"]],
    [
      ["send", "one"],
      ["one message.json", "one.yaml"],
    ],
    [["up", "--config", "one.y"], ["one.yaml"]],
    [["bench", "journeys", "--profile", ""], ["profiles"]],
    [["calendar", "diff", "one.yaml", "one.y"], ["one.yaml"]],
    [["completion", "z"], ["zsh"]],
    [["tx", ""], []],
    [["logs", "--uetr", ""], []],
    [["fly", ""], []],
  ])("%j is completed by %j", (words, offered) => {
    expect(completeInBash(...words).toSorted()).toEqual(offered.toSorted());
  });
});

test.each([
  ["zsh", formatZshCompletion(verbs)],
  ["fish", formatFishCompletion(verbs)],
])("the script of %s names every verb and option, and the shell can read it", (shell, script) => {
  for (const { name, options } of verbs) {
    for (const word of name.split(" ")) expect(script).toContain(word);
    for (const option of Object.keys(options)) expect(script).toMatch(new RegExp(`(--| -l )${option}\\b`));
  }
  if (!hasShell(shell)) return;
  expect(spawnSync(shell, ["-n", "-c", script], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
});

test("fish, where it is installed, offers verbs, options and choices", () => {
  if (!hasShell("fish")) return;
  const asked = ["sluice windo", "sluice bank pause --fo", "sluice logs --level w"].map((line) => `complete -C '${line}'`).join("\n");
  const { stdout, stderr } = spawnSync("fish", ["--no-config", "-c", `${formatFishCompletion(verbs)}\n${asked}`], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout.split("\n").map((line) => line.split("\t")[0])).toEqual(["window", "windows", "--for", "warn", ""]);
});
