import { creditsFinal, creditTransfer, offUsDebit, sampleScheme, sampleUetr, statusReport, type JsonObject } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { givenIngress, sampleParties, startAtMs } from "./given.ts";
import type { IngressRequest } from "./service.ts";

const receivedAtMs = startAtMs + 50;
const fromClearing = { caller: "clearing" } as const;

describe("an off-us debit of a connector", () => {
  const request = { ...fromClearing, operation: "inboundDirectDebit" } as const;

  it("is in the journal for the debtor's bank, with the provisional deadline of any debit [D2 scheme-direct-debit]", async () => {
    const { accept, journal } = await givenIngress();
    expect(await accept(offUsDebit({ uetr: sampleUetr.toUpperCase() }), request)).toEqual({ status: 202 });
    expect(journal()).toMatchObject([
      {
        key: sampleUetr,
        decoded: {
          name: "DirectDebitReceived",
          value: { sender: "clearing", flow: "OFF_US", bank: "first", receivedAtMs, closesWith: "ZA_EFT:2026-11-20" },
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
      const { accept, journal, time } = await givenIngress();
      const receivedMs = Date.UTC(2026, 10, 20, 14, 30) + afterMs;
      await time.advance(receivedMs - time.nowMs());
      expect(await accept(offUsDebit(), request)).toEqual({ status: 202 });
      expect(journal()).toMatchObject([{ decoded: { value: { receivedAtMs: receivedMs, closesWith: `ZA_EFT:${date}` } } }]);
    },
  );

  it("may come from any creditor's agent, also from one of ours", async () => {
    const { accept, journal } = await givenIngress();
    for (const creditorBranch of ["999999", "250655", "250656"]) {
      expect(await accept(offUsDebit({ creditorBranch }), request)).toEqual({ status: 202 });
    }
    expect(journal()).toHaveLength(3);
  });
});

describe("a credit of a connector", () => {
  const request = { ...fromClearing, operation: "inboundCreditTransferAuthorization" } as const;

  it("is in the journal for the creditor's bank, with business date and deadline from its receipt [D2 scheme-credit-transfer]", async () => {
    const { accept, journal } = await givenIngress();
    expect(await accept(creditTransfer(), request)).toEqual({ status: 202 });
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

  it("that is received on a day that does not work has the next one's date; the scheme says its deadline", async () => {
    const closed = { version: "closed", zone: "+02:00", workingDays: [1, 2, 3, 4], holidays: ["2026-11-23"] };
    const { times } = sampleScheme();
    const schemes = [
      sampleScheme({ times: { ...times, calendar: closed }, creditDeadlineMs: 60_000 }),
      sampleScheme({ id: "ZA_RTC", creditDeadlineMs: 10_000 }),
    ];
    const { accept, journal } = await givenIngress({ ...sampleParties, schemes });
    await accept(creditTransfer(), request);
    await accept(creditTransfer({ scheme: "ZA_RTC" }), request);
    const values = journal().map(({ decoded }) => (decoded.name === "CreditTransferReceived" ? decoded.value : null));
    expect(values.map((value) => [value?.businessDate, (value?.deadlineMs ?? 0) - (value?.receivedAtMs ?? 0)])).toEqual([
      ["2026-11-24", 60_000],
      ["2026-11-20", 10_000],
    ]);
  });
});

describe("a bank's report", () => {
  it.each(["inboundDirectDebitResponse", "inboundCreditTransferAuthorizationResponse"] as const)(
    "says by which operation it came: %s [4 inboundDirectDebitResponse] [4 step-10]",
    async (operation) => {
      const { accept, journal } = await givenIngress();
      expect(await accept(statusReport(), { operation, caller: "second" })).toEqual({ status: 202 });
      expect(journal()).toMatchObject([
        { key: sampleUetr, decoded: { name: "StatusReportReceived", value: { operation, sender: "second" } } },
      ]);
    },
  );

  it("on a credit may name a scheme that has no debits, one on a debit may not", async () => {
    const { accept } = await givenIngress();
    const report = statusReport({ scheme: "ZA_RTC" });
    expect(await accept(report, { operation: "inboundCreditTransferAuthorizationResponse" })).toEqual({ status: 202 });
    expect(await accept(report, { operation: "inboundDirectDebitResponse" })).toMatchObject({ status: 422 });
  });
});

describe("what a connector sends and cannot be processed", () => {
  const cases: readonly (readonly [string, number, string, JsonObject, Partial<IngressRequest>])[] = [
    [
      "a debit to an agent that nobody stands for",
      422,
      "/debtorAgent",
      offUsDebit({ debtorBranch: "999999" }),
      { operation: "inboundDirectDebit" },
    ],
    [
      "a debit to an agent that contradicts itself",
      422,
      "/debtorAgent",
      offUsDebit({ members: { debtorAgent: { memberId: "250655", branch: { identification: "250656" } } } }),
      { operation: "inboundDirectDebit" },
    ],
    [
      "a credit to an agent that nobody stands for",
      422,
      "/creditorAgent",
      creditTransfer({ creditorBranch: "999999" }),
      { operation: "inboundCreditTransferAuthorization" },
    ],
    [
      "a credit of a scheme that it does not speak for",
      403,
      "/paymentScheme/schema",
      creditTransfer({ scheme: "ZA_RPP" }),
      { operation: "inboundCreditTransferAuthorization" },
    ],
    [
      "a debit of a scheme without debits",
      422,
      "/paymentScheme",
      offUsDebit({ members: { paymentScheme: { schema: "ZA_RTC" } } }),
      { operation: "inboundDirectDebit" },
    ],
    [
      "a declaration for a scheme that it does not speak for",
      403,
      "/scheme",
      creditsFinal({ scheme: "ZA_RPP" }),
      { operation: "creditsFinal" },
    ],
    ["an operation of banks", 403, "", statusReport(), { operation: "inboundDirectDebitResponse" }],
  ];
  it.each(cases)("%s: %i, and nothing is stored", async (_, status, path, message, request) => {
    const { accept, journal } = await givenIngress();
    const answer = await accept(message, { ...fromClearing, ...request });
    expect(answer).toMatchObject({ status, error: { schema: "ErrorDetail", detail: expect.stringContaining(path) } });
    expect(journal()).toEqual([]);
  });

  it("a scheme that is not configured: 422", async () => {
    const { accept } = await givenIngress({ ...sampleParties, schemes: [sampleScheme({ id: "ZA_RTC" })] });
    expect(await accept(creditTransfer(), { ...fromClearing, operation: "inboundCreditTransferAuthorization" })).toMatchObject({
      status: 422,
      error: { detail: expect.stringContaining("/paymentScheme/schema") },
    });
  });
});
