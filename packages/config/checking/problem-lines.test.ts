import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkFiles, findLine } from "./problem-lines.ts";

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
  expect(findLine(text, { path, text: "wrong" })).toBe(line);
});

test("a file that is no YAML has no lines", () => {
  expect(findLine("a: [\n b: c", { path: "a", text: "wrong" })).toBeNull();
});

test("files that the configuration names are looked for, beside it where the name is no whole path", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-files-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  writeFileSync(join(folder, "token"), "x");
  expect(await checkFiles(text, folder)).toEqual([{ path: "banks[1].caFile", text: "names a file that cannot be read here" }]);
});
