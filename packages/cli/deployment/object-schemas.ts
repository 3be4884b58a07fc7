// The schemas of the objects that the chart makes, from the modules in which their owners publish them. They are
// checked in, and tests hold the manifests against them: `node packages/cli/deployment/object-schemas.ts` brings them
// again, by Go's tools.
//
// #1 Only what validates is kept: texts, formats and rules in other languages are left out, and patterns in a notation
//    that only Go knows.
// #2 An object has no member but those that its schema names, unless the schema says otherwise: a cluster drops such a
//    member in silence, or refuses it when it is asked to be strict.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

export interface Schema {
  readonly [keyword: string]: unknown;
}

/** The schemas of objects by `apiVersion kind`, with what they refer to. */
export interface ObjectSchemas {
  readonly objects: Readonly<Record<string, Schema>>;
  readonly $defs: Readonly<Record<string, Schema>>;
}

export const schemasFile = fileURLToPath(new URL("generated/objects.json", import.meta.url));
const modules = {
  kubernetes: "k8s.io/kubernetes@v1.37.2",
  gateway: "sigs.k8s.io/gateway-api@v1.4.1",
  keda: "github.com/kedacore/keda/v2@v2.21.0",
  prometheus: "github.com/prometheus-operator/prometheus-operator@v0.85.0",
};
/** Kinds of Kubernetes itself, by the file of their API. */
const kinds = {
  api__v1: ["ConfigMap", "Pod", "Service", "ServiceAccount"],
  apis__apps__v1: ["Deployment"],
  apis__autoscaling__v2: ["HorizontalPodAutoscaler"],
  apis__batch__v1: ["Job"],
  "apis__networking.k8s.io__v1": ["NetworkPolicy"],
  apis__policy__v1: ["PodDisruptionBudget"],
};
const crds = [
  [modules.gateway, "config/crd/standard", ["httproutes", "backendtlspolicies"]],
  [modules.keda, "config/crd/bases", ["scaledobjects"]],
  [modules.prometheus, "example/prometheus-operator-crd", ["podmonitors", "prometheusrules"]],
] as const;
const single = ["type", "required", "enum", "pattern", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"];
const lists = ["oneOf", "anyOf", "allOf"];
const intOrString = { anyOf: [{ type: "integer" }, { type: "string" }] };

/** #1, #2. `isPart` is true inside of a rule about an object whose members stand elsewhere. */
export function closeSchema(given: unknown, isPart = false): Schema {
  if (typeof given !== "object" || given === null) return {};
  const schema: Schema = { ...given };
  const reference = schema["$ref"];
  if (typeof reference === "string") return { $ref: `#/$defs/${reference.slice(reference.lastIndexOf("/") + 1)}` };
  if (schema["x-kubernetes-int-or-string"] === true || schema["format"] === "int-or-string") return intOrString;
  const { properties, items, additionalProperties, not } = schema;
  const closed: Record<string, unknown> = {};
  for (const keyword of single) if (schema[keyword] !== undefined) closed[keyword] = schema[keyword];
  const { pattern } = closed;
  if (typeof pattern === "string" && pattern.includes("(?i)")) delete closed["pattern"];
  // An API's reference with a default has the reference as the only part of `allOf`, and stands beside nothing else.
  const isWrapped = Array.isArray(schema["allOf"]) && properties === undefined && schema["type"] === undefined;
  for (const keyword of lists) {
    const parts = schema[keyword];
    if (Array.isArray(parts)) closed[keyword] = parts.map((part: unknown) => closeSchema(part, !isWrapped));
  }
  if (not !== undefined) closed["not"] = closeSchema(not, true);
  if (items !== undefined) closed["items"] = closeSchema(items);
  if (typeof properties === "object" && properties !== null)
    closed["properties"] = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, closeSchema(one, isPart)]));
  if (typeof additionalProperties === "object") closed["additionalProperties"] = closeSchema(additionalProperties);
  else if (properties !== undefined && !isPart && schema["x-kubernetes-preserve-unknown-fields"] !== true)
    closed["additionalProperties"] = false;
  return closed;
}

function bringModule(name: string): string {
  const answer: { readonly Dir: string } = JSON.parse(execFileSync("go", ["mod", "download", "-json", name], { encoding: "utf8" }));
  return answer.Dir;
}

interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface NamedSchema extends Schema {
  readonly "x-kubernetes-group-version-kind"?: readonly KindName[];
}

interface OpenApi {
  readonly components: { readonly schemas: Readonly<Record<string, NamedSchema>> };
}

/** Adds a definition and all that it refers to. */
function addReferred(name: string, schemas: Readonly<Record<string, Schema>>, $defs: Record<string, Schema>): void {
  if ($defs[name] !== undefined) return;
  const closed = closeSchema(name.endsWith(".Quantity") ? { anyOf: [{ type: "string" }, { type: "number" }] } : schemas[name]);
  $defs[name] = closed;
  for (const [, referred = ""] of JSON.stringify(closed).matchAll(/"#\/\$defs\/([^"]+)"/g)) addReferred(referred, schemas, $defs);
}

function readKinds(objects: Record<string, Schema>, $defs: Record<string, Schema>): void {
  const folder = join(bringModule(modules.kubernetes), "api", "openapi-spec", "v3");
  for (const [file, wanted] of Object.entries(kinds)) {
    const { components }: OpenApi = JSON.parse(readFileSync(join(folder, `${file}_openapi.json`), "utf8"));
    for (const [name, schema] of Object.entries(components.schemas)) {
      const names = schema["x-kubernetes-group-version-kind"] ?? [];
      const [own] = names.length === 1 ? names : [];
      if (own === undefined || !wanted.includes(own.kind)) continue;
      addReferred(name, components.schemas, $defs);
      objects[`${own.group === "" ? "" : `${own.group}/`}${own.version} ${own.kind}`] = { $ref: `#/$defs/${name}` };
    }
  }
}

interface CrdSchema extends Schema {
  readonly properties: Schema;
}

interface Crd {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: CrdSchema } }[];
  };
}

function readCrds(objects: Record<string, Schema>, $defs: Readonly<Record<string, Schema>>): void {
  const metadata = Object.keys($defs).find((name) => name.endsWith(".ObjectMeta"));
  for (const [module, folder, wanted] of crds) {
    const from = join(bringModule(module), folder);
    for (const file of readdirSync(from).filter((name) => wanted.some((one) => name.endsWith(`_${one}.yaml`)))) {
      const { spec }: Crd = parse(readFileSync(join(from, file), "utf8"));
      for (const { name, schema } of spec.versions) {
        const properties = { ...schema.openAPIV3Schema.properties, metadata: { $ref: `#/$defs/${metadata}` } };
        objects[`${spec.group}/${name} ${spec.names.kind}`] = closeSchema({ ...schema.openAPIV3Schema, properties });
      }
    }
  }
}

if (import.meta.main) {
  const [objects, $defs]: [Record<string, Schema>, Record<string, Schema>] = [{}, {}];
  readKinds(objects, $defs);
  readCrds(objects, $defs);
  const schemas: ObjectSchemas = { objects, $defs };
  writeFileSync(schemasFile, `${JSON.stringify(schemas)}\n`);
}
