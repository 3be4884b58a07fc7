import { buildCreditsFinal, sampleScheme } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { startTestIngress, sampleParties, ingressStartAtMs } from "../ingress.fixture.ts";

const weekdays = { version: "weekdays", zone: "+02:00", workingDays: [1, 2, 3, 4, 5], holidays: ["2026-11-24"] };

function declaredBy(declarer: "clock" | "connector" | "bank", times = sampleScheme().times) {
  return startTestIngress({ ...sampleParties, schemes: [sampleScheme({ creditsFinal: declarer, times }), sampleScheme({ id: "ZA_RTC" })] });
}

const byConnector = { operation: "creditsFinal", caller: "clearing" } as const;
const byBank = { operation: "creditsFinal", caller: "first" } as const;

describe("credits declared final", () => {
  it("by the connector are for all banks, under the key of the day [D2 credits-final]", async () => {
    const { accept, journal } = await declaredBy("connector");
    expect(await accept(buildCreditsFinal(), byConnector)).toEqual({ status: 202 });
    expect(journal()).toMatchObject([
      {
        key: "ZA_EFT:2026-11-20",
        decoded: {
          name: "CreditsFinalRequested",
          value: { scheme: "ZA_EFT", businessDate: "2026-11-20", requestedBy: "clearing", bank: null, receivedAtMs: ingressStartAtMs + 50 },
        },
      },
    ]);
  });

  it("by a bank are for that bank [D2 credits-final]", async () => {
    const { accept, journal } = await declaredBy("bank");
    expect(await accept(buildCreditsFinal(), byBank)).toEqual({ status: 202 });
    expect(journal()).toMatchObject([{ key: "ZA_EFT:2026-11-20", decoded: { value: { requestedBy: "first", bank: "first" } } }]);
  });

  it("a second time are accepted again, because the day recognizes a repeat [D9 credits-final-repeat]", async () => {
    const { accept, journal } = await declaredBy("connector");
    await accept(buildCreditsFinal(), byConnector);
    expect(await accept(buildCreditsFinal(), byConnector)).toEqual({ status: 202 });
    expect(journal()).toHaveLength(2);
  });

  it.each([
    ["clock", "clearing", "/scheme: the clock"],
    ["clock", "first", "/scheme: the clock"],
    ["bank", "clearing", "/scheme: banks"],
    ["connector", "first", "/scheme: the connector"],
  ] as const)("are refused if the %s declares them by the configuration: from %s", async (declarer, caller, detail) => {
    const { accept, journal } = await declaredBy(declarer);
    expect(await accept(buildCreditsFinal(), { operation: "creditsFinal", caller })).toMatchObject({
      status: 422,
      error: { detail: expect.stringContaining(detail) },
    });
    expect(journal()).toEqual([]);
  });

  it("are refused for a scheme that holds no debits", async () => {
    const { accept } = await declaredBy("connector");
    expect(await accept(buildCreditsFinal({ scheme: "ZA_RTC" }), byConnector)).toMatchObject({ status: 422 });
  });

  it.each([
    ["2026-11-19", 422],
    ["2026-11-20", 202],
    ["2026-11-21", 422],
    ["2026-11-22", 422],
    ["2026-11-23", 202],
    ["2026-11-24", 422],
    ["2026-11-27", 202],
    ["2026-11-30", 422],
    ["2020-01-01", 422],
    ["0001-01-01", 422],
    ["9999-12-31", 422],
    ["2026-02-30", 400],
  ])("for %s on Friday the 20th: %i (past, not working, unknown, or not a date) [D9 credits-final-date]", async (businessDate, status) => {
    const { accept, journal } = await declaredBy("connector", { ...sampleScheme().times, calendar: weekdays });
    expect(await accept(buildCreditsFinal({ businessDate }), byConnector)).toMatchObject({ status });
    expect(journal()).toHaveLength(status === 202 ? 1 : 0);
  });

  it("for today are accepted after its reconciliation close too, because only the day knows whether it was extended [D9 credits-final-date]", async () => {
    const times = { ...sampleScheme().times, processing: [{ opens: "01:00", closes: "01:10" }], cutOffMs: 0, reconciliation: "01:20" };
    const { accept, journal } = await declaredBy("connector", times);
    expect(await accept(buildCreditsFinal(), byConnector)).toEqual({ status: 202 });
    expect(journal()).toHaveLength(1);
  });

  it("for yesterday are accepted while its reconciliation close is today, after midnight", async () => {
    const times = { ...sampleScheme().times, processing: [{ opens: "20:00", closes: "+1d 06:00" }], reconciliation: "+1d 08:30" };
    const { accept } = await declaredBy("connector", times);
    expect(await accept(buildCreditsFinal({ businessDate: "2026-11-19" }), byConnector)).toEqual({ status: 202 });
    expect(await accept(buildCreditsFinal({ businessDate: "2026-11-18" }), byConnector)).toMatchObject({ status: 422 });
  });
});
