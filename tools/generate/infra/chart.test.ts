import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { describeValues } from "./chart-values.ts";
import { generateChart } from "./chart.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

test("the chart's alarm rules are those of infra/alarms, and its README has its values", () => {
  expect(generateChart(root, true)).toEqual([]);
});

test("alarm rules that have changed are named, and written", () => {
  const copy = mkdtempSync(join(tmpdir(), "sluice-chart-"));
  const files = ["sluice.rules.yaml", "sluice.slo.rules.yaml"];
  mkdirSync(join(copy, "infra/chart"), { recursive: true });
  for (const file of ["README.md", "values.yaml", "values.schema.json"])
    cpSync(join(root, "infra/chart", file), join(copy, "infra/chart", file));
  const [sources, targets] = ["alarms", "chart/files"].map((folder) => files.map((file) => join(copy, "infra", folder, file)));
  for (const path of [...sources!, ...targets!]) mkdirSync(dirname(path), { recursive: true });
  for (const source of sources!) writeFileSync(source, "groups: []\n");
  const complaint: unknown = expect.stringContaining("run ./sluice generate");
  expect(generateChart(copy, true)).toEqual([complaint, complaint]);
  expect(generateChart(copy, false)).toEqual([]);
  for (const target of targets!) expect(readFileSync(target, "utf8")).toContain("groups: []\n");
  rmSync(copy, { recursive: true });
});

test("a value has a row with its default, its bounds and the comment above it; what services share is one row", () => {
  const values = `# The values of the chart.

# Where it comes from. In two
# sentences.
image:
  # The name.
  tag: ""
  secrets: []
  # - { name: a, secret: b }

services:
  first: &service
    # How many.
    replicas: 2
  second: { <<: *service, replicas: 3 }
`;
  const service = { type: "object", properties: { replicas: { type: "integer", minimum: 1, maximum: 120 } } };
  const schema = {
    properties: {
      image: { type: "object", properties: { tag: { enum: ["", "one"] }, secrets: { type: "array", maxItems: 16 } } },
      services: { type: "object", properties: { first: service, second: service } },
    },
  };
  expect(describeValues(values, schema)).toBe(`| value | default | may be | meaning |
| --- | --- | --- | --- |
| \`image\` |  |  | Where it comes from. In two sentences. |
| \`image.tag\` | \`""\` | \`""\`, \`"one"\` | The name. |
| \`image.secrets\` | \`[]\` | a list of at most 16 |  |
| \`services\` |  |  |  |
| \`services.SERVICE.replicas\` | \`2\`; second \`3\` | a whole number, 1 to 120 | How many. |
`);
});

test("a value whose default no schema knows is refused: nobody could set it", () => {
  expect(() => describeValues("image: 1\n", { properties: {} })).toThrow("image");
});
