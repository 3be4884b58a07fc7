import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { listSettings } from "@sluice/config/settings-table";
import { partitionCountMax } from "@sluice/domain";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const templates = join(root, "infra/chart/templates");
const known = new Set<string>(listSettings().map(({ name }) => name));
/** What the mode `all` alone reads: it is for tests, and the chart does not run it. */
const ofModeAll = new Set(["SLUICE_CLOCK_START"]);
const ofUs = /\b(?:SLUICE|KAFKA|SCHEMA_REGISTRY|MONGO)_[A-Z_]+\b/g;

test("the chart sets only variables that a service knows", () => {
  const set = readdirSync(templates).flatMap((file) => {
    // A comment may name another one.
    const text = readFileSync(join(templates, file), "utf8").replaceAll(/^ *#.*$/gm, "");
    return text.match(ofUs) ?? [];
  });
  expect(set.length).toBeGreaterThan(0);
  expect(set.filter((name) => !known.has(name))).toEqual([]);
});

test("the chart can set every variable that a service knows", () => {
  const text = readdirSync(templates)
    .map((file) => readFileSync(join(templates, file), "utf8"))
    .join("\n");
  expect([...known].filter((name) => !text.includes(name) && !ofModeAll.has(name))).toEqual([]);
});

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
}

test("values.schema.json refuses what it does not name, in all depths", () => {
  const schema: Schema = JSON.parse(readFileSync(join(root, "infra/chart/values.schema.json"), "utf8"));
  expect(openObjects("", schema)).toEqual([]);
});

test("values.schema.json names exactly the values of values.yaml", () => {
  const schema: Schema = JSON.parse(readFileSync(join(root, "infra/chart/values.schema.json"), "utf8"));
  const values: object = parse(readFileSync(join(root, "infra/chart/values.yaml"), "utf8"), { merge: true });
  expect(pathsOf(values, schema)).toEqual([]);
});

test("no service may have more replicas than there can be partitions, wherever the values say how many", () => {
  const schema: Schema = JSON.parse(readFileSync(join(root, "infra/chart/values.schema.json"), "utf8"));
  const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema);
  const text = readFileSync(join(root, "infra/chart/values.yaml"), "utf8");
  const given: Values = parse(text, { merge: true });
  const schedule = { timezone: "Africa/Johannesburg", start: "45 7 * * *", end: "0 16 * * *" };
  const places: Readonly<Record<string, (values: Values, count: number) => void>> = {
    ...Object.fromEntries(
      Object.keys(given.services).map((service) => [
        `/services/${service}/replicas`,
        (values: Values, count: number) => void (values.services[service] = { ...values.services[service], replicas: count }),
      ]),
    ),
    "/autoscaling/maxReplicas": (values, count) => void (values.autoscaling.maxReplicas = count),
    "/keda/maxReplicas": (values, count) => void (values.keda.maxReplicas = count),
    "/keda/schedules/0/replicas": (values, count) => void (values.keda.schedules = [{ ...schedule, replicas: count }]),
  };
  for (const [path, change] of Object.entries(places)) {
    const faults = [partitionCountMax, partitionCountMax + 1].map((count) => {
      const values: Values = parse(text, { merge: true });
      change(values, count);
      validate(values);
      return (validate.errors ?? []).filter(({ instancePath }) => instancePath === path).map(({ message }) => message);
    });
    expect([path, ...faults]).toEqual([path, [], [`must be <= ${partitionCountMax}`]]);
  }
});

/** The values that say how many replicas there are. */
interface Values {
  readonly services: Record<string, object>;
  readonly autoscaling: { maxReplicas: number };
  readonly keda: { maxReplicas: number; schedules: readonly object[] };
}

/** Objects with named members that admit others. Those without any named member are Kubernetes' own. */
function openObjects(path: string, { properties, additionalProperties, items }: Schema): readonly string[] {
  return [
    ...(properties !== undefined && additionalProperties !== false ? [path] : []),
    ...Object.entries(properties ?? {}).flatMap(([name, one]) => openObjects(`${path}.${name}`, one)),
    ...(items === undefined ? [] : openObjects(`${path}[]`, items)),
  ];
}

/** Members that only one of the two has. */
function pathsOf(values: unknown, { properties }: Schema, path = ""): readonly string[] {
  if (properties === undefined || typeof values !== "object" || values === null || Array.isArray(values)) return [];
  const names = new Set([...Object.keys(values), ...Object.keys(properties)]);
  return [...names].flatMap((name) => {
    const inValues = Object.entries(values).find(([key]) => key === name);
    const inSchema = properties[name];
    if (inValues === undefined || inSchema === undefined) return [`${path}.${name}`];
    return pathsOf(inValues[1], inSchema, `${path}.${name}`);
  });
}
