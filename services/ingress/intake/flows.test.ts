import {
  buildCreditsFinal,
  buildCreditTransfer,
  buildOffUsDebit,
  sampleScheme,
  sampleUetr,
  buildStatusReport,
  type MessageObject,
} from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { startTestIngress, sampleParties, ingressStartAtMs } from "../ingress.fixture.ts";
import type { IngressRequest } from "../service.ts";

const receivedAtMs = ingressStartAtMs + 50;
const fromClearing = { caller: "clearing" } as const;

describe("an off-us debit of a connector", () => {
  const request = { ...fromClearing, operation: "inboundDirectDebit" } as const;

  it("is in the journal for the debtor's bank, with the same provisional deadline as any debit [D2 scheme-direct-debit]", async () => {
    const { accept, journal } = await startTestIngress();
    expect(await accept(buildOffUsDebit({ uetr: sampleUetr.toUpperCase() }), request)).toEqual({ status: 202 });
    expect(journal()).toMatchObject([
      {
        key: sampleUetr,
        decoded: {
          name: "DirectDebitReceived",
          value: { sender: "clearing", flow: "OFF_US", bank: "first", receivedAtMs, reconciliationDay: "ZA_EFT:2026-11-20" },
        },
      },
    ]);
  });

  it.each([
    [0, "2026-11-20"],
    [1, "2026-11-21"],
  ])(
    "has as provisional deadline the first close that is at least an hour away: %i ms after 16:30 that of %s [D3 deadlines]",
    async (afterMs, date) => {
      const { accept, journal, time } = await startTestIngress();
      const receivedMs = Date.UTC(2026, 10, 20, 14, 30) + afterMs;
      await time.advance(receivedMs - time.nowMs());
      expect(await accept(buildOffUsDebit(), request)).toEqual({ status: 202 });
      expect(journal()).toMatchObject([{ decoded: { value: { receivedAtMs: receivedMs, reconciliationDay: `ZA_EFT:${date}` } } }]);
    },
  );

  it("may come from any creditor's agent, also from a configured bank", async () => {
    const { accept, journal } = await startTestIngress();
    for (const creditorBranch of ["999999", "250655", "250656"]) {
      expect(await accept(buildOffUsDebit({ creditorBranch }), request)).toEqual({ status: 202 });
    }
    expect(journal()).toHaveLength(3);
  });
});

describe("a credit of a connector", () => {
  const request = { ...fromClearing, operation: "inboundCreditTransferAuthorization" } as const;

  it("is in the journal for the creditor's bank, with business date and deadline from its receipt [D2 scheme-credit-transfer]", async () => {
    const { accept, journal } = await startTestIngress();
    expect(await accept(buildCreditTransfer(), request)).toEqual({ status: 202 });
    expect(journal()).toMatchObject([
      {
        key: sampleUetr,
        decoded: {
          name: "CreditTransferReceived",
          value: {
            sender: "clearing",
            bank: "first",
            receivedAtMs,
            businessDate: "2026-11-20",
            deadlineMs: receivedAtMs + 2 * 3_600_000,
            credit: { amounts: { bankSettlementAmount: { value: 12_505_000n, digits: 2, currency: "ZAR" } } },
          },
        },
      },
    ]);
  });

  it("has the next working day's date if its day does not work, and the scheme's deadline", async () => {
    const closed = { version: "closed", zone: "+02:00", workingDays: [1, 2, 3, 4], holidays: ["2026-11-23"] };
    const { times } = sampleScheme();
    const schemes = [
      sampleScheme({ times: { ...times, calendar: closed }, creditDeadlineMs: 60_000 }),
      sampleScheme({ id: "ZA_RTC", creditDeadlineMs: 10_000 }),
    ];
    const { accept, journal } = await startTestIngress({ ...sampleParties, schemes });
    await accept(buildCreditTransfer(), request);
    await accept(buildCreditTransfer({ scheme: "ZA_RTC" }), request);
    const values = journal().map(({ decoded }) => (decoded.name === "CreditTransferReceived" ? decoded.value : null));
    expect(values.map((value) => [value?.businessDate, (value?.deadlineMs ?? 0) - (value?.receivedAtMs ?? 0)])).toEqual([
      ["2026-11-24", 60_000],
      ["2026-11-20", 10_000],
    ]);
  });
});

describe("a bank's report", () => {
  it.each(["inboundDirectDebitResponse", "inboundCreditTransferAuthorizationResponse"] as const)(
    "names the operation by which it came: %s [4 inboundDirectDebitResponse] [4 step-10]",
    async (operation) => {
      const { accept, journal } = await startTestIngress();
      expect(await accept(buildStatusReport(), { operation, caller: "second" })).toEqual({ status: 202 });
      expect(journal()).toMatchObject([
        { key: sampleUetr, decoded: { name: "StatusReportReceived", value: { operation, sender: "second" } } },
      ]);
    },
  );

  it("may name a scheme without debits if it is on a credit, but not if it is on a debit", async () => {
    const { accept } = await startTestIngress();
    const report = buildStatusReport({ scheme: "ZA_RTC" });
    expect(await accept(report, { operation: "inboundCreditTransferAuthorizationResponse" })).toEqual({ status: 202 });
    expect(await accept(report, { operation: "inboundDirectDebitResponse" })).toMatchObject({ status: 422 });
  });
});

describe("a connector's message that cannot be processed", () => {
  const cases: readonly (readonly [string, number, string, MessageObject, Partial<IngressRequest>])[] = [
    [
      "a debit to an agent of no configured bank",
      422,
      "/debtorAgent",
      buildOffUsDebit({ debtorBranch: "999999" }),
      { operation: "inboundDirectDebit" },
    ],
    [
      "a debit to an agent with contradicting names",
      422,
      "/debtorAgent",
      buildOffUsDebit({ members: { debtorAgent: { memberId: "250655", branch: { identification: "250656" } } } }),
      { operation: "inboundDirectDebit" },
    ],
    [
      "a credit to an agent of no configured bank",
      422,
      "/creditorAgent",
      buildCreditTransfer({ creditorBranch: "999999" }),
      { operation: "inboundCreditTransferAuthorization" },
    ],
    [
      "a credit of a scheme that it does not speak for",
      403,
      "/paymentScheme/schema",
      buildCreditTransfer({ scheme: "ZA_RPP" }),
      { operation: "inboundCreditTransferAuthorization" },
    ],
    [
      "a debit of a scheme without debits",
      422,
      "/paymentScheme",
      buildOffUsDebit({ members: { paymentScheme: { schema: "ZA_RTC" } } }),
      { operation: "inboundDirectDebit" },
    ],
    [
      "a declaration for a scheme that it does not speak for",
      403,
      "/scheme",
      buildCreditsFinal({ scheme: "ZA_RPP" }),
      { operation: "creditsFinal" },
    ],
    ["an operation of banks", 403, "", buildStatusReport(), { operation: "inboundDirectDebitResponse" }],
  ];
  it.each(cases)("%s: %i, and nothing is stored", async (_, status, path, message, request) => {
    const { accept, journal } = await startTestIngress();
    const answer = await accept(message, { ...fromClearing, ...request });
    expect(answer).toMatchObject({ status, error: { schema: "ErrorDetail", detail: expect.stringContaining(path) } });
    expect(journal()).toEqual([]);
  });

  it("a scheme that is not configured: 422", async () => {
    const { accept } = await startTestIngress({ ...sampleParties, schemes: [sampleScheme({ id: "ZA_RTC" })] });
    expect(await accept(buildCreditTransfer(), { ...fromClearing, operation: "inboundCreditTransferAuthorization" })).toMatchObject({
      status: 422,
      error: { detail: expect.stringContaining("/paymentScheme/schema") },
    });
  });
});
