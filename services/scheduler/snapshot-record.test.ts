import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { World } from "./given.ts";

test("every batch that touched a transaction sends its snapshot: of several the highest version is what the store has", async () => {
  const world = new World();
  await world.scheduler();
  const uetr = world.uetr();
  await world.hold(uetr);
  const snapshots = () => world.named(topics.transactions, "TransactionSnapshot").filter(({ decoded }) => decoded.value.uetr === uetr);
  await world.until("the debit is held", () => snapshots().at(-1)?.decoded.value.state === "HELD");
  const { transaction, search } = (await world.document(uetr))!;
  const { value } = snapshots().at(-1)!.decoded;
  expect(value).toMatchObject({ version: BigInt(transaction.version), stageVersion: 4, bank: transaction.bank, rows: [] });
  expect(value).toMatchObject({ amount: transaction.amountTenThousandths, endToEndIdentification: search.endToEndIdentification });
  expect(search.debtorAccountEnd).toHaveLength(4);
});

test("a replay sends the snapshot again, never an older one with a higher version", async () => {
  const world = new World();
  const first = await world.scheduler();
  const uetr = world.uetr();
  await world.append(topics.journal, uetr, world.debitOf(uetr));
  await world.until("it is received", () => world.named(topics.transactions, "TransactionSnapshot").length === 1);
  first.kill();
  await world.scheduler();
  await world.append(topics.journal, uetr, world.debitOf(uetr));
  await world.until("the repeat is counted", () =>
    world.named(topics.transactions, "TransactionSnapshot").some(({ decoded }) => decoded.value.version === 2n),
  );
  const said = world
    .named(topics.transactions, "TransactionSnapshot")
    .map(({ decoded }) => `${decoded.value.version} ${decoded.value.state}`);
  expect(new Set(said)).toEqual(new Set(["1 RECEIVED", "2 RECEIVED"]));
});
