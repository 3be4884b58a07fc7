import { planDay } from "@sluice/calendar";
import { readConfiguration } from "@sluice/config";
import { seededRandom } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { demoConfiguration } from "../environment/configuration.ts";
import { demoConnectorId, demoBanks, plannedOutage, planDemoDay, planDemoTimes } from "./day.ts";

const nowMs = Date.UTC(2026, 10, 20, 7, 50, 12, 345);
const pace = { opensInMs: 12_000, windowMs: 14_000, reconcilesAfterMs: 4_000 };

describe("the demo's day", () => {
  it("has the good debits asked for and at least one of each special kind", () => {
    const { transactions } = planDemoDay(seededRandom(1), 200, nowMs);
    const counts = Object.groupBy(transactions, ({ kind }) => kind);
    expect(counts.good).toHaveLength(200);
    expect(Object.keys(counts)).toHaveLength(15);
    expect(new Set(transactions.map(({ uetr }) => uetr)).size).toBe(transactions.length);
    expect(new Set(counts["shared-identification"]?.map(({ messageIdentification }) => messageIdentification)).size).toBe(1);
    const others = transactions
      .filter(({ kind }) => kind !== "shared-identification")
      .map(({ messageIdentification }) => messageIdentification);
    expect(new Set(others).size).toBe(others.length);
    expect(transactions.filter(({ posts }) => posts === 2)).toHaveLength(1);
  });

  it("sends enough to the bank of the outage while it is down to open its breaker", () => {
    const { transactions } = planDemoDay(seededRandom(1), 1, nowMs);
    const toIt = transactions.filter(({ bank }) => bank === plannedOutage.bank);
    const meanwhile = toIt.filter(
      ({ afterOpeningMs }) =>
        afterOpeningMs !== null && afterOpeningMs > plannedOutage.fromMs && afterOpeningMs < plannedOutage.toMs - 4_000,
    );
    expect(meanwhile.length).toBeGreaterThan(10);
    expect(toIt.some(({ afterOpeningMs }) => (afterOpeningMs ?? 0) < plannedOutage.fromMs)).toBe(true);
    expect(transactions.filter(({ bank, afterOpeningMs }) => bank !== plannedOutage.bank && afterOpeningMs !== null)).toEqual([]);
  });

  it("is equal for equal seeds", () => {
    const day = (seed: number): string => JSON.stringify(planDemoDay(seededRandom(seed), 20, nowMs));
    expect(day(3)).toBe(day(3));
    expect(day(3)).not.toBe(day(4));
  });

  it("gives each bank fewer refused attempts in a row than open a breaker", () => {
    const { transactions } = planDemoDay(seededRandom(1), 200, nowMs);
    expect(transactions.filter(({ bank }) => bank === "baobab").length * 2).toBeLessThan(10);
  });

  it("has a configuration that reads back to the planned times, to the second", () => {
    const times = planDemoTimes(nowMs, pace);
    const banks = demoBanks.map((bank) => ({ ...bank, url: "http://bank.invalid:1", token: `t-${bank.id}`, sluiceToken: `s-${bank.id}` }));
    const operator = { id: "thandi", name: "Thandi", roles: ["read", "act"], token: "t-thandi" } as const;
    const clearing = { id: demoConnectorId, url: "http://clearing.invalid:1", token: "t", sluiceToken: "s-clearing" };
    const { yaml, environment } = demoConfiguration(times, { banks, connector: clearing, operators: [operator] }, nowMs);
    const reading = readConfiguration(yaml, environment);
    if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
    const [scheme] = reading.configuration.schemes;
    expect(planDay(scheme!.times, "ZA_EFT", times.businessDate)).toMatchObject({
      isWorkingDay: true,
      windows: [{ number: 1, opensAtMs: times.opensAtMs, closesAtMs: times.closesAtMs }],
      cutOffAtMs: times.closesAtMs - 1_000,
      reconciliationAtMs: times.reconciliationAtMs,
    });
    expect(times.opensAtMs - nowMs).toBeGreaterThanOrEqual(12_000);
    expect(times.opensAtMs - nowMs).toBeLessThan(13_000);
    expect(reading.configuration.banks.map(({ id, bearerToken }) => [id, bearerToken])).toEqual(banks.map(({ id }) => [id, `s-${id}`]));
    expect(reading.configuration.connectors.map(({ id, bearerToken }) => [id, bearerToken])).toEqual([[demoConnectorId, "s-clearing"]]);
    expect(scheme!.creditsFinal).toBe("connector");
    expect(nowMs + scheme!.creditDeadlineMs).toBe(times.reconciliationAtMs);
    expect(reading.configuration.operators).toMatchObject([{ id: "thandi", roles: ["read", "act"] }]);
    expect(reading.configuration.resolutionNeedsSecondPerson).toBe(true);
  });
});
