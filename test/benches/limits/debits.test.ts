import { readDirectDebit } from "@sluice/contracts";
import { expect, test } from "vitest";
import { createDebits } from "./debits.ts";

test("debits are read by ingress's reader, and differ in UETR and identification", () => {
  const debits = createDebits(7, "250655", "2026-11-25T07:12:03.120Z");
  const read = [debits(0), debits(1), debits(50)].map(({ body }) => readDirectDebit(body));
  const messages = read.map((one) => (one.ok ? one.read.message : null));
  const uetrs = messages.map((message) => message?.transactionIdentifiers.uetr);
  expect(new Set(uetrs).size).toBe(3);
  expect(uetrs[1]).toBe(debits(1).uetr);
  expect(new Set(messages.map((message) => message?.messageIdentifiers.messageIdentification)).size).toBe(3);
});
