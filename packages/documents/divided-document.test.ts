import { describe, expect, test } from "vitest";
import { buildControlDocument } from "./control/control-document.ts";
import { divideDocument, joinDocument } from "./divided-document.ts";
import { readDocument } from "./read-document.ts";

const shared = { type: "string" };
const document = {
  openapi: "3.1.1",
  paths: {
    "/banks/{bank}": { get: { schema: { $ref: "#/components/schemas/Bank" }, parameters: [{ $ref: "#/components/parameters/limit" }] } },
    "/days": { get: { schema: { $ref: "#/components/schemas/Day" }, parameters: [{ $ref: "#/components/parameters/limit" }] } },
  },
  components: {
    schemas: {
      Bank: { properties: { id: { $ref: "#/components/schemas/Id" }, state: { $ref: "#/components/schemas/State" } } },
      Day: { properties: { id: { $ref: "#/components/schemas/Id" } } },
      Id: shared,
      State: shared,
    },
    parameters: { limit: { name: "limit", schema: { $ref: "#/components/schemas/Id" } } },
  },
};
const files = divideDocument(document, "control.yaml", (path) => path.split("/")[1] ?? "");

describe("a divided document", () => {
  test("has a file for each subject, which the first file names", () => {
    expect([...files.keys()]).toEqual(["control.yaml", "control/banks.yaml", "control/days.yaml"]);
    expect(files.get("control.yaml")?.["paths"]).toEqual({
      "/banks/{bank}": { $ref: "control/banks.yaml#/paths/~1banks~1%7Bbank%7D" },
      "/days": { $ref: "control/days.yaml#/paths/~1days" },
    });
  });

  test("#1 has what one subject alone needs in its file, and what several need in the first", () => {
    expect(files.get("control.yaml")?.["components"]).toEqual({ schemas: { Id: shared }, parameters: document.components.parameters });
    expect(files.get("control/banks.yaml")?.["components"]).toEqual({
      schemas: {
        Bank: { properties: { id: { $ref: "../control.yaml#/components/schemas/Id" }, state: { $ref: "#/components/schemas/State" } } },
        State: shared,
      },
    });
  });

  test("is joined to the same document", () => {
    const read = (file: string): Readonly<Record<string, unknown>> => Object(files.get(file));
    expect(joinDocument(read("control.yaml"), read)).toEqual(document);
  });

  test("is served as one: the whole document of the control API", () => {
    expect(JSON.parse(readDocument("control"))).toEqual(JSON.parse(JSON.stringify(buildControlDocument())));
  });
});
