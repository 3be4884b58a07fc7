// The times that ingress gives a message until its verdict: there must be an hour to report a refusal.

import {
  encodeBody,
  buildCreditTransfer,
  buildDirectDebit,
  buildOffUsDebit,
  sampleConfiguration,
  sampleConnector,
  sampleScheme,
} from "@sluice/testkit";
import { expect, test } from "vitest";
import type { IngressOperation } from "./operation.ts";
import { ingressOperations } from "../operations.ts";

const configuration = sampleConfiguration({ connectors: [sampleConnector()], schemes: [sampleScheme({ creditDeadlineMs: 90_000 })] });
/** Local 16:30:00.000 in +02:00; the reconciliation of the day closes at 17:30. */
const anHourBeforeMs = Date.UTC(2026, 10, 20, 14, 30);
const closeMs = anHourBeforeMs + 3_600_000;
const dayMs = 86_400_000;

function received(name: IngressOperation["name"], caller: string, body: Uint8Array, receivedAtMs: number): unknown {
  const operation = ingressOperations.find((known) => known.name === name);
  const result = operation?.parseAndAuthorize({ caller, body, receivedAtMs, configuration });
  if (result?.ok !== true) throw new Error(JSON.stringify(result));
  return result.decoded.value;
}

test.each([
  ["outboundDirectDebit", "first", encodeBody(buildDirectDebit())],
  ["inboundDirectDebit", "clearing", encodeBody(buildOffUsDebit())],
] as const)("%s has as its provisional close the first reconciliation close at least an hour after its receipt", (name, caller, body) => {
  const inTime = received(name, caller, body, anHourBeforeMs);
  expect(inTime).toMatchObject({ receivedAtMs: anHourBeforeMs, reconciliationDay: "ZA_EFT:2026-11-20", closesAtMs: closeMs });
  const later = received(name, caller, body, anHourBeforeMs + 1);
  expect(later).toMatchObject({ reconciliationDay: "ZA_EFT:2026-11-21", closesAtMs: closeMs + dayMs });
});

test("a credit has the scheme's deadline from its receipt, to the millisecond, and the date of the scheme's zone", () => {
  const lastOfDayMs = Date.UTC(2026, 10, 20, 21, 59, 59, 999);
  for (const [receivedAtMs, businessDate] of [
    [lastOfDayMs, "2026-11-20"],
    [lastOfDayMs + 1, "2026-11-21"],
  ] as const) {
    const credit = received("inboundCreditTransferAuthorization", "clearing", encodeBody(buildCreditTransfer()), receivedAtMs);
    expect(credit).toMatchObject({ bank: "first", receivedAtMs, businessDate, deadlineMs: receivedAtMs + 90_000 });
  }
});
