import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { buildDashboard, generateDashboards } from "./generate-dashboards.ts";
import { dashboards } from "./tables/dashboard-table.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

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
