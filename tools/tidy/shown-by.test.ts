// The threat model is written by hand: each test that it names exists, and each threat names one.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(`${root}docs/security/threat-model.md`, "utf8");

interface Threat {
  readonly id: string;
  readonly shownBy: readonly string[];
}

/** Rows `| T1 | who | threat | what stands against it | shown by |`. */
function readThreats(text: string): readonly Threat[] {
  return text.split("\n").flatMap((line) => {
    const cells = line.split("|").map((cell) => cell.trim());
    const [, id = "", , , , shownBy = ""] = cells;
    return /^T\d+$/.test(id) ? [{ id, shownBy: Array.from(shownBy.matchAll(/`([^`]+)`/g), ([, path = ""]) => path) }] : [];
  });
}

function findProblems(threats: readonly Threat[]): readonly string[] {
  return threats.flatMap(({ id, shownBy }) => [
    ...(shownBy.length === 0 ? [`${id} names no test`] : []),
    ...shownBy.filter((path) => !existsSync(`${root}${path}`)).map((path) => `${id}: there is no ${path}`),
  ]);
}

test("each threat is shown by a test that exists, and the threats are numbered without a gap", () => {
  const threats = readThreats(page);
  expect(threats.length).toBeGreaterThanOrEqual(27);
  expect(threats.map(({ id }) => id)).toEqual(threats.map((_, index) => `T${index + 1}`));
  expect(findProblems(threats)).toEqual([]);
});

test("a row whose test is gone, and one without a test, are found", () => {
  const rows = "| # | who |\n| --- | --- |\n| T1 | a | b | c | `tools/tidy/gone.test.ts` |\n| T2 | a | b | c | nothing |\n";
  expect(findProblems(readThreats(rows))).toEqual(["T1: there is no tools/tidy/gone.test.ts", "T2 names no test"]);
});
