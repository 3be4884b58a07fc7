// Writes Grafana's dashboards into the chart, from `dashboard-table.ts`:
// `infra/chart/files/dashboard-<name>.json`. `node tools/generate/infra/dashboards.ts [--check]`. The JSON is that of
// Grafana's own builders.

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DashboardBuilder, DatasourceVariableBuilder } from "@grafana/grafana-foundation-sdk/dashboard";
import { DataqueryBuilder } from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder } from "@grafana/grafana-foundation-sdk/timeseries";
import { runGenerator, writeOrCompare } from "../generator.ts";
import { type Dashboard, dashboards, type Panel } from "./dashboard-table.ts";

const folder = join("infra", "chart", "files");
/** The data source that the reader has chosen. */
const datasource = { type: "prometheus", uid: "${datasource}" };
/** Grafana's grid has 24 columns. */
const panelColumns = 12;
const panelRows = 8;

/** Returns the differences, one sentence each; none when all is well. */
export function generateDashboards(root: string, isCheck: boolean): readonly string[] {
  const made = new Map(dashboards.map((dashboard) => [`dashboard-${dashboard.name}.json`, buildDashboard(dashboard)]));
  const found = readdirSync(join(root, folder)).filter((file) => file.startsWith("dashboard-"));
  const gone = found.filter((file) => !made.has(file)).map((file) => join(folder, file));
  if (!isCheck) for (const file of gone) rmSync(join(root, file));
  return [
    ...[...made].flatMap(([file, text]) => writeOrCompare(root, join(folder, file), text, isCheck)),
    ...(isCheck ? gone.map((file) => `${file} has no dashboard in the table: run ./sluice generate`) : []),
  ];
}

/** Builds the text of a dashboard: a line for each panel, so that a change is a changed line. */
export function buildDashboard({ name, title, panels }: Dashboard): string {
  const builder = new DashboardBuilder(title)
    .uid(`sluice-${name}`)
    .tags(["sluice"])
    .refresh("30s")
    .time({ from: "now-3h", to: "now" })
    .timezone("browser")
    .readonly()
    .withVariable(new DatasourceVariableBuilder("datasource").type("prometheus").label("Data source"));
  for (const panel of panels) builder.withPanel(buildPanel(panel));
  const { panels: built = [], templating, ...rest } = builder.build();
  const lines = built.map((panel) => `    ${JSON.stringify(panel)}`);
  // Of the variable only what Grafana's schema knows of one that names a data source.
  const list = templating?.list?.map(({ type, name, label, query }) => ({ type, name, label, query }));
  const head = Object.entries({ ...rest, templating: { list } }).map(
    ([member, value]) => `  ${JSON.stringify(member)}: ${JSON.stringify(value)},`,
  );
  return ["{", ...head, '  "panels": [', lines.join(",\n"), "  ]", "}", ""].join("\n");
}

function buildPanel({ title, query, legend, unit }: Panel): PanelBuilder {
  return new PanelBuilder()
    .title(title)
    .unit(unit)
    .datasource(datasource)
    .span(panelColumns)
    .height(panelRows)
    .withTarget(new DataqueryBuilder().datasource(datasource).refId("A").expr(query).legendFormat(legend));
}

if (import.meta.main) runGenerator(generateDashboards);
