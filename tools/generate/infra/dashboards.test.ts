import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { buildDashboard, generateDashboards } from "./dashboards.ts";
import { dashboards } from "./dashboard-table.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const grafanaSchema = join(root, "tools", "node_modules", "@grafana", "schema", "dist", "types");

interface GrafanaPanel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string }[];
}
interface GrafanaDashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly GrafanaPanel[];
}

test("the chart's dashboards are those of the table", () => {
  expect(generateDashboards(root, true)).toEqual([]);
});

test("there are at most eight dashboards, with names and titles of their own", () => {
  expect(dashboards.length).toBeLessThanOrEqual(8);
  expect(new Set(dashboards.flatMap(({ name, title }) => [name, title])).size).toBe(2 * dashboards.length);
});

test.each(dashboards)("the dashboard $name has each query of the table in a panel, and no panel covers another", (dashboard) => {
  const { uid, title, panels }: GrafanaDashboard = JSON.parse(buildDashboard(dashboard));
  expect([uid, title]).toEqual([`sluice-${dashboard.name}`, dashboard.title]);
  expect(panels.map((panel) => [panel.title, panel.targets[0]?.expr])).toEqual(dashboard.panels.map((panel) => [panel.title, panel.query]));
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});

/** What the compiler says of the dashboards as values of Grafana's own schema, whose types know every member. */
function checkBySchema(texts: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "sluice-dashboards-"));
  try {
    const values = texts.map((text) => {
      const { panels, ...rest }: { readonly panels: readonly { readonly targets: readonly object[] }[] } = JSON.parse(text);
      const queries = panels.flatMap(({ targets }) => targets);
      return [
        `void (${JSON.stringify(rest)} satisfies Dashboard);`,
        ...panels.map((panel) => `void (${JSON.stringify(panel)} satisfies Panel);`),
        ...queries.map((query) => `void (${JSON.stringify(query)} satisfies DataQuery & Prometheus);`),
      ].join("\n");
    });
    const types = join(grafanaSchema, "index.d.ts");
    const imports = `import type { Dashboard, DataQuery, Panel } from "${types}";\ntype Prometheus = { expr: string; legendFormat?: string };\n`;
    writeFileSync(join(folder, "dashboards.ts"), `${imports}${values.join("\n")}\n`);
    const options = { noEmit: true, strict: true, skipLibCheck: true, module: "esnext", moduleResolution: "bundler", types: [] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["dashboards.ts"] }));
    const tsc = join(root, "node_modules", ".bin", "tsc");
    const { stdout, stderr } = spawnSync(tsc, ["--project", folder], { encoding: "utf8", timeout: 120_000 });
    return `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("every dashboard fits Grafana's own schema, which knows each member, and one that does not fit is found", () => {
  const texts = dashboards.map(buildDashboard);
  expect(checkBySchema(texts)).toBe("");
  const [first = ""] = texts;
  expect(checkBySchema([first.replace('"graphTooltip"', '"graphTip"')])).toMatch(/'"graphTip"' does not exist in type 'Dashboard'/u);
  expect(checkBySchema([first.replace('"legendFormat"', '"legend"')])).toMatch(/'"legend"' does not exist/u);
});
