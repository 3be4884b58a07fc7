import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { SchedulerEnvironment } from "../../scheduler.fixture.ts";

test("every batch that touched a transaction sends its snapshot: the one with the highest version is what the store has", async () => {
  const environment = new SchedulerEnvironment();
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  const snapshots = () =>
    environment.named(topics.transactions, "TransactionSnapshot").filter(({ decoded }) => decoded.value.uetr === uetr);
  await environment.until("the debit is held", () => snapshots().at(-1)?.decoded.value.state === "HELD");
  const { transaction, search } = (await environment.document(uetr))!;
  const { value } = snapshots().at(-1)!.decoded;
  expect(value).toMatchObject({ version: BigInt(transaction.version), stageVersion: 4, bank: transaction.bank, rows: [] });
  expect(value).toMatchObject({ amount: transaction.amountTenThousandths, endToEndIdentification: search.endToEndIdentification });
  expect(search.debtorAccountEnd).toHaveLength(4);
});

test("a replay sends the snapshot again, never an older one with a higher version", async () => {
  const environment = new SchedulerEnvironment();
  const first = await environment.scheduler();
  const uetr = environment.uetr();
  await environment.append(topics.journal, uetr, environment.debit(uetr));
  await environment.until("it is received", () => environment.named(topics.transactions, "TransactionSnapshot").length === 1);
  first.kill();
  await environment.scheduler();
  await environment.append(topics.journal, uetr, environment.debit(uetr));
  await environment.until("the repeat is counted", () =>
    environment.named(topics.transactions, "TransactionSnapshot").some(({ decoded }) => decoded.value.version === 2n),
  );
  const said = environment
    .named(topics.transactions, "TransactionSnapshot")
    .map(({ decoded }) => `${decoded.value.version} ${decoded.value.state}`);
  expect(new Set(said)).toEqual(new Set(["1 RECEIVED", "2 RECEIVED"]));
});
