import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}

function readRules(file: string): readonly Rule[] {
  const { groups }: { groups: readonly { readonly rules: readonly Rule[] }[] } = parse(
    readFileSync(join(root, "infra/alarms", file), "utf8"),
  );
  return groups.flatMap((group) => group.rules);
}
const rules = readRules("sluice.rules.yaml");
const ofObjectives = readRules("sluice.slo.rules.yaml");
const objectiveAlarms = ofObjectives.filter((rule) => "alert" in rule);

/** Metrics that some code serves; their names are plain texts there. */
const served = new Set(
  globSync("{packages,services}/**/*.ts", { cwd: root, exclude: (name) => name === "node_modules" || name.endsWith(".test.ts") }).flatMap(
    (file) => [...readFileSync(join(root, file), "utf8").matchAll(/"(sluice_[a-z_]+)"/g)].map(([, name = ""]) => name),
  ),
);

/** What Sluice cannot serve: `up` is Prometheus's own, the others are of the machines of the log. */
const servedByOthers = ["node_filesystem_avail_bytes", "node_filesystem_size_bytes", "kubelet_volume_stats_available_bytes"];

test.each(rules.map((rule) => [rule.alert, rule] as const))("%s uses metrics that are served, and names its runbook", (_name, rule) => {
  // A histogram is queried by its parts.
  const asked = [...rule.expr.matchAll(/\bsluice_[a-z_]+/g)].map(([name]) => name.replace(/_seconds_(bucket|sum|count)$/, "_seconds"));
  expect(asked.length > 0 || servedByOthers.some((name) => rule.expr.includes(name))).toBe(true);
  expect(asked.filter((name) => !served.has(name))).toEqual([]);
  expect([rule.annotations.runbook_url].filter((page) => !existsSync(join(root, page)))).toEqual([]);
  expect(["info", "warning", "critical"]).toContain(rule.labels.severity);
  expect(rule.annotations.summary).not.toMatch(/\.$/);
  expect(rule.annotations.description).toMatch(/^[A-Z].{20,}[.]$|^\d/);
});

test.each([...rules, ...objectiveAlarms].map((rule) => [rule.alert, rule] as const))("the runbook of %s names it", (name, rule) => {
  expect(readFileSync(join(root, rule.annotations.runbook_url), "utf8")).toContain(`\`${name}\``);
});

test.each(["sluice_delivery_backlog_full_total", "sluice_delivery_stale_writes_total", "sluice_delivery_bounds_reached_total"])(
  "I15: an alarm says that %s grows",
  (metric) => {
    expect(rules.filter(({ expr }) => expr.includes(`increase(${metric}`))).toHaveLength(1);
  },
);

test.each(["report-foreign", "report-orphan", "report-contradicting", "conflict", "duplicate-refused"])(
  "an alarm shows operators each message that was recorded as %s [D4 foreign]",
  (kind) => {
    const ofObservations = rules.filter(({ expr }) => expr.includes("sluice_scheduler_observations_total"));
    expect(ofObservations.filter(({ expr }) => new RegExp(`[|"]${kind}[|"]`, "u").test(expr))).toHaveLength(1);
  },
);

interface AlarmCase {
  readonly promql_expr_test: readonly { readonly expr: string; readonly exp_samples: readonly unknown[] }[];
}

const { tests: cases }: { tests: readonly AlarmCase[] } = parse(readFileSync(join(root, "infra/alarms/sluice.cases.yaml"), "utf8"));
const played = cases
  .flatMap((one) => one.promql_expr_test)
  .map(({ expr, exp_samples: samples }) => `${/alertname="(\w+)"/.exec(expr)?.[1]} ${samples.length > 0 ? "fires" : "does not fire"}`);

test("every alarm has a case that fires and one that does not, and every case is of an alarm", () => {
  const wanted = rules.flatMap(({ alert }) => [`${alert} fires`, `${alert} does not fire`]);
  expect(new Set(played)).toEqual(new Set(wanted));
});

test("each alarm that a notice names is an alarm", () => {
  const named = [...readFileSync(join(root, "infra/alarms/alertmanager.yaml"), "utf8").matchAll(/\bSluice[A-Z]\w+/gu)].map(
    ([name]) => name,
  );
  const playedNotices = [...readFileSync(join(root, "infra/alarms/alertmanager.cases.yaml"), "utf8").matchAll(/\bSluice[A-Z]\w+/gu)];
  const known = new Set(rules.map(({ alert }) => alert));
  expect(named.length).toBeGreaterThan(0);
  expect([...named, ...playedNotices.map(([name]) => name)].filter((name) => !known.has(name))).toEqual([]);
});

test("alarms have unique names", () => {
  const all = [...rules, ...objectiveAlarms];
  expect(new Set(all.map(({ alert }) => alert)).size).toBe(all.length);
});

function metricsIn(queries: readonly string[]): ReadonlySet<string> {
  const asked = queries.flatMap((query) => [...query.matchAll(/\bsluice_[a-z_]+/g)].map(([name]) => name));
  return new Set(asked.map((name) => name.replace(/_seconds_(bucket|sum|count)$/, "_seconds")));
}

test("the objectives count metrics that are served", () => {
  const names = metricsIn(ofObjectives.map(({ expr }) => expr));
  expect(names.size).toBeGreaterThan(4);
  expect([...names].filter((name) => !served.has(name))).toEqual([]);
});

interface DashboardFile {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

test("every query of a dashboard asks for what is served, or for what the objectives record", () => {
  const files = globSync("infra/chart/files/dashboard-*.json", { cwd: root });
  const queries = files.flatMap((file) => {
    const { panels }: DashboardFile = JSON.parse(readFileSync(join(root, file), "utf8"));
    return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  });
  expect([files.length, queries.length > 40]).toEqual([8, true]);
  expect([...metricsIn(queries)].filter((name) => !served.has(name))).toEqual([]);
  const recorded = new Set(ofObjectives.flatMap((rule) => ("record" in rule ? [rule.record] : [])));
  const asked = queries.flatMap((query) => [...query.matchAll(/\bslo:[a-z0-9_:]+/g)].map(([name]) => name));
  expect(asked.length).toBeGreaterThan(3);
  expect(asked.filter((name) => !recorded.has(name))).toEqual([]);
});

test("five objectives page and make tickets, and a case fires each of these alarms", () => {
  expect(objectiveAlarms.map(({ labels }) => labels.severity).toSorted()).toEqual([
    ...Array.from({ length: 5 }, () => "critical"),
    ...Array.from({ length: 5 }, () => "warning"),
  ]);
  const text = readFileSync(join(root, "infra/alarms/sluice.slo.cases.yaml"), "utf8");
  expect(objectiveAlarms.filter(({ alert }) => !text.includes(`alertname="${alert}"`))).toEqual([]);
});
