import { Resolver } from "node:dns/promises";
import { expect, test } from "vitest";
import { openTrialNames } from "./names.ts";
import { planDeliveries } from "./plan.ts";

test("the name server is silent about the nameless bank, and answers for each tenth healthy one", async () => {
  await using opened = new AsyncDisposableStack();
  const { banks } = planDeliveries(1, { messages: 1_000, receivers: 100, poison: 10 });
  const names = await openTrialNames(banks, opened);
  const hosts = banks.flatMap((bank) => names.hostOf(bank) ?? []);
  const healthy = banks.filter(({ profile }) => profile === "healthy").length;
  expect(hosts).toHaveLength(Math.ceil(healthy / 10) + 1);
  const resolver = new Resolver({ timeout: 100, tries: 1 });
  resolver.setServers([names.server]);
  expect(await resolver.resolve4(hosts[0] ?? "")).toEqual(["127.0.0.1"]);
  const nameless = banks.find(({ profile }) => profile === "nameless");
  await expect(resolver.resolve4(nameless === undefined ? "" : (names.hostOf(nameless) ?? ""))).rejects.toMatchObject({ code: "ETIMEOUT" });
  expect(names.counts()).toEqual({ silent: 1, answered: 1 });
});
