// The times that ingress gives a message until its verdict: a refusal must have an hour to be told.

import { bodyOf, creditTransfer, directDebit, offUsDebit, sampleConfiguration, sampleConnector, sampleScheme } from "@sluice/testkit";
import { expect, test } from "vitest";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";

const configuration = sampleConfiguration({ connectors: [sampleConnector()], schemes: [sampleScheme({ creditDeadlineMs: 90_000 })] });
/** Local 16:30:00.000 in +02:00; the reconciliation of the day closes at 17:30. */
const anHourBeforeMs = Date.UTC(2026, 10, 20, 14, 30);
const closeMs = anHourBeforeMs + 3_600_000;
const dayMs = 86_400_000;

function received(name: Operation["name"], caller: string, body: Uint8Array, receivedAtMs: number): unknown {
  const operation = operations.find((known) => known.name === name);
  const judged = operation?.judge({ caller, body, receivedAtMs, configuration });
  if (judged?.ok !== true) throw new Error(JSON.stringify(judged));
  return judged.decoded.value;
}

test.each([
  ["outboundDirectDebit", "first", bodyOf(directDebit())],
  ["inboundDirectDebit", "clearing", bodyOf(offUsDebit())],
] as const)("%s closes with the first reconciliation that is at least an hour after its receipt", (name, caller, body) => {
  const inTime = received(name, caller, body, anHourBeforeMs);
  expect(inTime).toMatchObject({ receivedAtMs: anHourBeforeMs, closesWith: "ZA_EFT:2026-11-20", closesAtMs: closeMs });
  const later = received(name, caller, body, anHourBeforeMs + 1);
  expect(later).toMatchObject({ closesWith: "ZA_EFT:2026-11-21", closesAtMs: closeMs + dayMs });
});

test("a credit has the scheme's time from its receipt, to the millisecond, and the date of the scheme's zone", () => {
  const lastOfDayMs = Date.UTC(2026, 10, 20, 21, 59, 59, 999);
  for (const [receivedAtMs, businessDate] of [
    [lastOfDayMs, "2026-11-20"],
    [lastOfDayMs + 1, "2026-11-21"],
  ] as const) {
    const credit = received("inboundCreditTransferAuthorization", "clearing", bodyOf(creditTransfer()), receivedAtMs);
    expect(credit).toMatchObject({ bank: "first", receivedAtMs, businessDate, deadlineMs: receivedAtMs + 90_000 });
  }
});
