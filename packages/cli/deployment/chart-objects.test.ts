// Holds every manifest of the chart against the schemas of Kubernetes and of the operators that the chart knows. It
// needs no cluster.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parseAllDocuments } from "yaml";
import { describe, expect, it, test } from "vitest";
import { closeSchema, type ObjectSchemas, schemasFile } from "./object-schemas.ts";

const golden = fileURLToPath(new URL("../../../infra/chart/golden/", import.meta.url));
const schemas: ObjectSchemas = JSON.parse(readFileSync(schemasFile, "utf8"));
const validator = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false });
validator.addSchema({ $id: "objects", ...schemas });

interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** What is wrong with an object; empty: nothing. */
function faultsOf(object: KubernetesObject): readonly string[] {
  const kind = `${object.apiVersion} ${object.kind}`;
  if (schemas.objects[kind] === undefined) return [`${kind} has no schema`];
  const validate = validator.getSchema(`objects#/objects/${encodeURIComponent(kind.replaceAll("/", "~1"))}`);
  if (validate === undefined) return [`${kind} cannot be compiled`];
  const isGood = validate(object);
  const errors = isGood === true ? [] : (validate.errors ?? []);
  return errors.map(
    ({ instancePath, message, params }) => `${kind} ${object.metadata.name}${instancePath}: ${message} ${JSON.stringify(params)}`,
  );
}

function objectsOf(file: string): readonly KubernetesObject[] {
  return parseAllDocuments(readFileSync(join(golden, file), "utf8")).flatMap((document): readonly KubernetesObject[] => {
    const object: KubernetesObject | null = document.toJS();
    return object === null ? [] : [object];
  });
}

const files = readdirSync(golden).filter((file) => file.endsWith(".yaml"));

describe("every object of the chart is one that its API knows", () => {
  it.each(files)("%s", (file) => {
    const objects = objectsOf(file);
    expect(objects.length).toBeGreaterThan(0);
    expect(objects.flatMap((object) => faultsOf(object))).toEqual([]);
  });
});

test("a member that the API does not know, a value of another type, and one that is missing are found", () => {
  const [deployment] = objectsOf("least.yaml").filter(({ kind }) => kind === "Deployment");
  const text = JSON.stringify(deployment);
  const changed = (from: string, to: string): readonly string[] => {
    expect(text).toContain(from);
    return faultsOf(JSON.parse(text.replace(from, to)));
  };
  expect(changed('"minReadySeconds":10', '"minReadySecond":10').join()).toContain('"additionalProperty":"minReadySecond"');
  expect(changed('"minReadySeconds":10', '"minReadySeconds":"ten"').join()).toContain("/spec/minReadySeconds: must be integer");
  expect(changed('"selector":', '"selectors":').join()).toContain("must have required property 'selector'");
  const [scaled] = objectsOf("full.yaml").filter(({ kind }) => kind === "ScaledObject");
  expect(faultsOf(JSON.parse(JSON.stringify(scaled).replace('"triggers":', '"trigger":'))).join()).toContain("trigger");
});

test("a schema is closed where its members stand, and not inside of a rule about them", () => {
  const given = { properties: { a: { type: "integer", description: "text" } }, anyOf: [{ required: ["a"] }, { properties: { b: {} } }] };
  expect(closeSchema(given)).toEqual({
    properties: { a: { type: "integer" } },
    anyOf: [{ required: ["a"] }, { properties: { b: {} } }],
    additionalProperties: false,
  });
  expect(closeSchema({ properties: {}, "x-kubernetes-preserve-unknown-fields": true })).toEqual({ properties: {} });
});
