import { expect, test } from "vitest";
import { writeSurface } from "./surface.ts";

test("a member's name, type and need are one line of the surface", () => {
  const properties = {
    amount: { $ref: "#/components/schemas/Amount", description: "What is paid." },
    days: { type: "array", items: { type: "string" } },
  };
  const post = { summary: "Pay", responses: { "202": { description: "Stored." }, "400": {}, "503": {} } };
  const page = writeSurface({
    Api: { paths: { "/pay": { post } }, components: { schemas: { Payment: { type: "object", required: ["amount"], properties } } } },
  });
  expect(page.split("\n").filter((line) => line.startsWith("- "))).toEqual([
    "- `POST /pay` Pay",
    "- `POST /pay 202`: Stored.",
    "- `POST /pay` refused: 400, 503",
    "- `Payment` object",
    "- `Payment.amount`! Amount: What is paid.",
    "- `Payment.days` string[]",
  ]);
});
