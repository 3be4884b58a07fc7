import { createFixedSerde, topics } from "@sluice/contracts";
import { createMemoryKeyService } from "@sluice/secrecy/key-service.fixture";
import { buildDirectDebit } from "@sluice/testkit";
import { expect, test } from "vitest";
import { partitionCount, sampleParties, startTestIngress } from "./ingress.fixture.ts";

const sealing = { ...sampleParties, sealPersonalData: true };

const debit = (number: number) =>
  buildDirectDebit({ uetr: `6f9619ff-8b86-4011-b42d-00cf4fc9640${number}`, messageIdentification: `M-${number}` });

/** The values of the journal as they lie there, and their names as a reader without keys sees them. */
function stored({ messaging }: Awaited<ReturnType<typeof startTestIngress>>) {
  const plain = createFixedSerde();
  const values = Array.from({ length: partitionCount }, (_, partition) => messaging.records({ topic: topics.journal, partition }))
    .flat()
    .map(({ value }) => Buffer.from(value ?? []));
  return { values, names: values.map((value) => plain.decode(value).name) };
}

test("a message is stored sealed, under the key of its bank and its month, which is asked for once [D10.110]", async () => {
  const service = createMemoryKeyService();
  const environment = await startTestIngress(sealing, service);
  const debits = [debit(1), debit(2)];
  for (const debit of debits) expect(await environment.accept(debit)).toEqual({ status: 202 });
  const { values, names } = stored(environment);
  expect(names).toEqual(["SealedRecord", "SealedRecord"]);
  expect(await service.list()).toEqual([{ scope: "first/2026-11", isDestroyed: false }]);
  const text = JSON.stringify(debits[0]);
  for (const canary of ["Karoo Insurance Ltd", /"value":"(\d{6,})"/.exec(text)?.[1] ?? ""]) {
    expect([canary.length > 5, values.some((value) => value.includes(canary))]).toEqual([true, false]);
  }
  expect(environment.journal().map(({ decoded }) => decoded.name)).toEqual(["DirectDebitReceived", "DirectDebitReceived"]);
});

test("without the key service a message is answered 503 and not stored, and with a key at hand it is taken [D10.112]", async () => {
  const service = createMemoryKeyService();
  const environment = await startTestIngress(sealing, service);
  service.setAvailable(false);
  expect(await environment.accept(debit(1))).toMatchObject({ status: 503, retryAfterSeconds: 1 });
  expect(stored(environment).values).toEqual([]);
  service.setAvailable(true);
  expect(await environment.accept(debit(1))).toEqual({ status: 202 });
  service.setAvailable(false);
  expect(await environment.accept(debit(2))).toEqual({ status: 202 });
  expect(stored(environment).names).toEqual(["SealedRecord", "SealedRecord"]);
});

test("a key service that does not answer costs a message less than a second [D10.112]", async () => {
  const memory = createMemoryKeyService();
  const environment = await startTestIngress(sealing, { ...memory, create: () => new Promise(() => {}) });
  const startedMs = environment.time.monotonicMs();
  expect(await environment.accept(debit(1))).toMatchObject({ status: 503 });
  expect(environment.time.monotonicMs() - startedMs).toBeLessThan(1_000);
});
