import { describe, expect, test } from "vitest";
import { type BankProfile, messagesPerUetr, planDeliveries, type TrialMessage } from "./plan.ts";

const sizes = { receivers: 20, poison: 0 };
const plan = planDeliveries(7, { ...sizes, messages: 3_000 });
const all = plan.phases.flatMap(({ messages }) => messages);

test("equal seeds give equal plans, and different seeds different ones", () => {
  const first = planDeliveries(3, { ...sizes, messages: 1_000 });
  expect(planDeliveries(3, { ...sizes, messages: 1_000 })).toEqual(first);
  expect(planDeliveries(4, { ...sizes, messages: 1_000 }).phases[0]?.messages).not.toEqual(first.phases[0]?.messages);
});

test("a plan has twenty banks: fourteen healthy, two dead, two slow, one hostile, one throttling", () => {
  const counts = Object.groupBy(plan.banks, ({ profile }) => profile);
  expect(Object.entries(counts).map(([profile, banks]) => [profile, banks.length])).toEqual([
    ["healthy", 14],
    ["refusing", 1],
    ["black hole", 1],
    ["slow", 2],
    ["hostile", 1],
    ["throttling", 1],
  ]);
});

test("the five messages of a UETR go to one bank in the order of their places, interleaved with those of others", () => {
  expect(all).toHaveLength(3_000);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  const chains = Map.groupBy(all, ({ uetr }) => uetr);
  for (const chain of chains.values()) {
    expect(chain).toHaveLength(messagesPerUetr);
    expect(new Set(chain.map(({ bank }) => bank)).size).toBe(1);
    for (const service of ["dispatcher", "event-publisher"]) {
      const places = chain.filter((message) => message.service === service).map(({ place }) => place);
      expect(places).toEqual(places.map((_, index) => index + 1));
      expect(places.length).toBeGreaterThanOrEqual(2);
    }
  }
  expect(all.slice(0, 20).some(({ uetr }, index) => uetr !== all[index + 1]?.uetr)).toBe(true);
});

test("phase B brings the healthy banks as much as phase A in the same time, and traffic for the others too", () => {
  const profiles = new Map(plan.banks.map(({ id, profile }) => [id, profile]));
  const [warmUp, a, b] = plan.phases;
  const healthy = (messages: readonly TrialMessage[] = []): number =>
    messages.filter(({ bank }) => profiles.get(bank) === "healthy").length;
  expect(healthy(warmUp?.messages)).toBe(warmUp?.messages.length);
  expect(healthy(a?.messages)).toBe(a?.messages.length);
  expect(healthy(b?.messages)).toBe(healthy(a?.messages));
  expect(b?.messages.length).toBeGreaterThan(healthy(b?.messages));
  expect(b?.forMs).toBe(a?.forMs);
});

test.each([1_000, 2_000, 25_000])(
  "a plan of %i messages kills each service at least twice and heals the banks before the end",
  (messages) => {
    const { killsAtMs, killEveryMs, healsAfterMessages, phases } = planDeliveries(1, { ...sizes, messages: messages });
    expect(killEveryMs).toBe(20_000);
    const cMs = phases.at(-1)?.forMs ?? 0;
    expect(killsAtMs.dispatcher.length).toBeGreaterThanOrEqual(2);
    expect(killsAtMs["event-publisher"].length).toBeGreaterThanOrEqual(2);
    expect(Math.max(...killsAtMs.dispatcher)).toBeLessThan(cMs);
    expect(healsAfterMessages).toBeLessThan(messages);
    expect(healsAfterMessages).toBeGreaterThan(messages - (phases.at(-1)?.messages.length ?? 0));
  },
);

test("a long plan freezes each service for longer than a session, after planned kills; a brief one freezes none", () => {
  expect(planDeliveries(1, { ...sizes, messages: 2_000 }).freeze).toBeNull();
  const { freeze, killsAtMs } = planDeliveries(1, { ...sizes, messages: 25_000 });
  expect(freeze?.frozenMs).toBeGreaterThanOrEqual(60_000);
  expect(freeze?.afterKills).toBeLessThanOrEqual(Math.min(killsAtMs.dispatcher.length, killsAtMs["event-publisher"].length));
});

describe("a plan with 1,000 receivers and 300 messages that fail for ever", () => {
  const large = planDeliveries(1, { messages: 20_000, receivers: 1_000, poison: 300 });
  const messages = large.phases.flatMap((phase) => phase.messages);
  const bankOf = (profile: BankProfile): string | undefined => large.banks.find((bank) => bank.profile === profile)?.id;

  test("has 1,000 banks, each with a branch of its own, of which nine in ten are healthy", () => {
    expect(large.banks).toHaveLength(1_000);
    expect(new Set(large.banks.map(({ branch }) => branch)).size).toBe(1_000);
    expect(large.banks.filter(({ profile }) => profile === "healthy").length).toBeGreaterThan(890);
  });

  test("has 300 failing messages, all for one bank, each the last of its UETR", () => {
    const failing = messages.filter(({ isNeverTaken, bank }) => isNeverTaken === true && bank === bankOf("choosy"));
    expect(failing).toHaveLength(300);
    for (const { uetr, place } of failing)
      expect(Math.max(...messages.filter((other) => other.uetr === uetr).map((other) => other.place))).toBe(place);
    expect(messages.some(({ isNeverTaken, bank }) => isNeverTaken !== true && bank === bankOf("choosy"))).toBe(true);
  });

  test("expects nothing of a bank whose name is never resolved", () => {
    const nameless = messages.filter(({ bank }) => bank === bankOf("nameless"));
    expect(nameless.length).toBeGreaterThan(0);
    expect(nameless.filter(({ isNeverTaken }) => isNeverTaken !== true)).toEqual([]);
  });
});
