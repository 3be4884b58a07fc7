import { sampleBank } from "@sluice/testkit";
import { expect, test } from "vitest";
import type { DeliveryReceiver } from "./operation-addresses.ts";
import { findReceiverChanges } from "./receiver-changes.ts";

const banks = Array.from({ length: 1_000 }, (_, index) => sampleBank({ id: `bank-${index}`, branch: String(250_000 + index) }));
const known: ReadonlyMap<string, DeliveryReceiver> = new Map(banks.map((bank) => [bank.id, bank]));

test("I14: a bank that is added to 1,000 is the only change, and the others are the same objects", () => {
  const added = sampleBank({ id: "added", branch: "260000" });
  const { changed, receivers } = findReceiverChanges(known, [...banks.map((bank) => ({ ...bank })), added]);
  expect(changed).toEqual(["added"]);
  expect(banks.every((bank) => receivers.get(bank.id) === bank)).toBe(true);
  expect(receivers.get("added")).toBe(added);
});

test("a bank that is removed, or differs in a member that delivery uses, is a change; one with other tokens is none", () => {
  const changedIds = (over: Partial<DeliveryReceiver>): readonly string[] =>
    findReceiverChanges(known, [{ ...banks[0]!, ...over }, ...banks.slice(1)]).changed;
  expect(findReceiverChanges(known, banks.slice(1)).changed).toEqual(["bank-0"]);
  const used: readonly Partial<DeliveryReceiver>[] = [
    { baseUrl: "https://elsewhere.test" },
    { eventsUrl: "https://elsewhere.test" },
    { connections: 3 },
    { egressProxyCredentialsFile: "proxy" },
    { signingKeys: [{ kind: "symmetric", secret: null, secretFile: "key" }] },
  ];
  expect(used.map(changedIds)).toEqual(used.map(() => ["bank-0"]));
  expect(changedIds({ name: "Another name", tokens: [], requestsPerSecond: 1, inboundConnections: 1 })).toEqual([]);
});
