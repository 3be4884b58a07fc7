import { listServiceCodes, schemeIds, type SchemeRow, schemes, schemesWith } from "@sluice/domain/schemes";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { object } from "./message-fields.ts";
import { creditPaymentScheme, debitPaymentScheme, readByRow, reportPaymentScheme, type SchemeForms } from "./payment-scheme.ts";

/** Whether the reader takes the scheme at all, whatever it thinks of its data. */
function isTaken(reader: z.ZodType, schema: string): boolean {
  const read = reader.safeParse({ schema });
  return read.success || !read.error.issues.some(({ path }) => path[0] === "schema");
}

test.each(schemeIds)("a message may name %s where its row has the flow", (id) => {
  const row: SchemeRow = schemes[id];
  expect([isTaken(debitPaymentScheme, id), isTaken(creditPaymentScheme, id)]).toEqual([row.debits !== null, row.credits !== null]);
  expect(isTaken(reportPaymentScheme, id)).toBe(true);
});

describe("a further row", () => {
  const defaults = { currencies: null, calendar: null, processing: null, reconciliation: null, accountRule: null };
  const credits = { service: "BACS_CREDIT", data: "optional-references" } as const;
  const rows = schemesWith("credits", {
    ...schemes,
    GB_BACS: { debits: null, credits, defaults },
    GB_NONE: { debits: null, credits: null, defaults },
  });
  const withReference = (schema: z.ZodEnum<Record<string, string>>) => object({ schema, schemeData: z.string() });

  test("is read by the form that it names", () => {
    const forms: SchemeForms<"optional-references", unknown> = { "optional-references": withReference };
    const reader = readByRow(rows, forms, { id: "TestScheme", description: "" });
    expect(reader.safeParse({ schema: "GB_BACS", schemeData: "text" }).success).toBe(true);
    expect(reader.safeParse({ schema: "GB_NONE", schemeData: "text" }).error?.issues).toMatchObject([
      { path: ["schema"], message: "only ZA_EFT, ZA_RTC, ZA_RPP, GB_BACS are accepted here", params: { status: 422 } },
    ]);
  });

  test("may name a form of its own, which no other scheme has", () => {
    const forms: SchemeForms<"number" | "text", unknown> = {
      number: (schema) => object({ schema, schemeData: z.number() }),
      text: withReference,
    };
    const both = [
      { id: "ZA_EFT", data: "text" },
      { id: "GB_BACS", data: "number" },
    ] as const;
    const reader = readByRow(both, forms, { id: "TestSchemes", description: "" });
    const paths = (schema: unknown, schemeData: unknown) =>
      reader.safeParse({ schema, schemeData }).error?.issues.map(({ path }) => path.join("/"));
    expect([paths("ZA_EFT", "a"), paths("GB_BACS", 1)]).toEqual([undefined, undefined]);
    expect([paths("ZA_EFT", 1), paths("GB_BACS", "a")]).toEqual([["schemeData"], ["schemeData"]]);
    expect(reader.safeParse({ schema: 5 }).error?.issues).toMatchObject([{ path: ["schema"], message: "must be ZA_EFT, GB_BACS" }]);
  });
});

test("the schemes and the service codes are those that banks know [D1.5] [D1.6]", () => {
  expect(schemeIds.toSorted()).toEqual(["ZA_EFT", "ZA_RPP", "ZA_RTC"]);
  expect(listServiceCodes().toSorted()).toEqual(["EFT_CREDIT", "EFT_DIRECT_DEBIT", "RPP_CREDIT", "RTC_CREDIT"]);
});

test("the service codes are those of the rows, each once", () => {
  const rows: readonly SchemeRow[] = Object.values(schemes);
  const codes = rows.flatMap(({ debits, credits }) => [debits, credits].flatMap((flow) => flow?.service ?? []));
  expect(listServiceCodes().toSorted()).toEqual([...new Set(codes)].toSorted());
});
