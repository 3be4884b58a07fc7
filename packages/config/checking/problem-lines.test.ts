import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfiguration } from "../file/read-configuration.ts";
import { checkFiles, findLines } from "./problem-lines.ts";

const text = `version: "1"
banks:
  - id: UPPER
    agents:
      - { memberId: "632005" }
    bearerTokenFile: token
    signingKeys: [{ secretFile: "\${FOLDER}/key" }]
  - id: second
    caFile: missing.pem
`;

test.each([
  ["banks[0].id", 3],
  ["banks[0].agents[0].memberId", 5],
  ["banks[1].caFile", 9],
  ["banks[1].baseUrl", 8],
  ["schemes[0].id", 1],
  ["", null],
] as const)("the problem at %s is in line %s; of a member that is missing in that of what should have it", (path, line) => {
  expect(findLines(text, [{ path, text: "wrong" }])).toEqual([line]);
});

test("of a file that is no YAML the line is known at which that shows, and none of a member", () => {
  const text = "banks:\n  - id: a\n  - [\n";
  const reading = readConfiguration(text, {});
  expect(findLines(text, reading.ok ? [] : [...reading.problems, { path: "banks", text: "wrong" }])).toEqual([4, null]);
});

test("files that the configuration names are looked for, beside it where the name is no whole path", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-files-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  writeFileSync(join(folder, "token"), "x");
  expect(await checkFiles(text, folder)).toEqual([{ path: "banks[1].caFile", text: "names a file that cannot be read here" }]);
});
