// Checks the JSON Schema of the configuration file with a standard validator.

import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { buildConfigSchema } from "../generate-schema.ts";

const schema: Readonly<Record<string, unknown>> = JSON.parse(buildConfigSchema());
const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false });

test("the configuration's schema fits its meta-schema, is self-contained, and validates a file", () => {
  expect(schema["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
  expect(ajv.validateSchema(schema)).toBe(true);
  const validate = ajv.compile(schema);
  const bank = {
    id: "first",
    name: "First",
    agents: [{ memberId: "1" }],
    tokenSha256: ["${TOKEN_SHA256}"],
    baseUrl: "https://first.example",
  };
  const election = { name: "Election", dates: ["2026-11-04"], substitute: "monday-after-sunday" };
  const calendars = { own: { version: "own/1", zone: "UTC", workingDays: [1], holidays: ["2027-01-01", election] } };
  expect(validate({ banks: [bank], calendars })).toBe(true);
  expect(validate({ banks: [{ ...bank, id: "First!" }] })).toBe(false);
  expect(validate({ banks: [bank], colour: 1 })).toBe(false);
  expect(validate({ banks: [] })).toBe(false);
  expect(validate({ banks: [bank], calendars: { own: { ...calendars.own, holidays: [{ ...election, dates: ["4 November"] }] } } })).toBe(
    false,
  );
});
