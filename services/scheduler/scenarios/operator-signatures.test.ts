// Operators' records that must be signed: by the console's key they have their effect; without it they have none.

import { type AnyDecodedRecord, headers, outgoingRecord, topics } from "@sluice/contracts";
import { rulesVersion } from "@sluice/domain";
import { type Metrics, silentMetrics } from "@sluice/kernel";
import { buildDeadLetter } from "@sluice/messaging";
import { operatorSignatureHeader, type OperatorSignatures, type OwnKey, readSigningKey, signRecord } from "@sluice/signatures";
import { type CallerKey, callerKeys, messageKey } from "@sluice/signatures/signed.fixture";
import { sampleConfiguration } from "@sluice/testkit";
import { expect, test } from "vitest";
import { closeExtensionRecord, operatorCreditsFinalRecord, pauseRecord } from "../operator-records.fixture.ts";
import { rebuildPartition } from "../rebuild/rebuild-partition.ts";
import { closesAtMs, schedulerBank, schedulerDay, SchedulerEnvironment, schedulerStartAtMs } from "../scheduler.fixture.ts";
import { journalHandlers } from "../service.ts";

const ownKey = ({ pair }: CallerKey) => readSigningKey(pair.privateKey.export({ format: "pem", type: "pkcs8" }));
const [console1, stranger] = [ownKey(callerKeys.ed25519), ownKey(callerKeys.ec)];
const bank = `bank:${schedulerBank}`;

/** Appends a record as the console does, signed by this key under this name. */
async function appendSigned(environment: SchedulerEnvironment, key: string, decoded: AnyDecodedRecord, own: OwnKey, keyId: string) {
  const { serde, partitionCount } = environment;
  const record = outgoingRecord(serde, topics.journal, key, decoded, { partitionCount });
  const headers = { ...record.headers, [operatorSignatureHeader]: signRecord(own, keyId, record) };
  await environment.appendRaw(record.partition, record.key, record.value, headers);
}

const required = (fromMs: number): OperatorSignatures => ({
  requiredFromMs: fromMs,
  keys: [messageKey("console-1", callerKeys.ed25519)],
});

function open(operatorSignatures = required(schedulerStartAtMs)) {
  const problems: (readonly [string, unknown])[] = [];
  const counted: string[] = [];
  const counter: Metrics["counter"] = (name) => ({
    add: (labels = {}, by = 1) => void (by > 0 && counted.push([name, ...Object.values(labels)].join(" "))),
  });
  const metrics: Metrics = { ...silentMetrics, counter };
  const environment = new SchedulerEnvironment({
    operatorSignatures,
    metrics,
    onProblem: (event, fields) => void problems.push([event, fields]),
  });
  return { environment, problems, refused: () => counted.filter((series) => series.startsWith("sluice_operator_records")) };
}

async function isPaused(environment: SchedulerEnvironment): Promise<boolean> {
  await environment.time.advance(2_000);
  const states = await environment.settle(environment.store.banks.load([schedulerBank]));
  return (states.get(schedulerBank)?.decisions ?? []).length > 0 || environment.named(topics.journal, "BankPaused").length > 0;
}

test("an operator's record with the console's signature has its effect [D10.93]", async () => {
  const { environment, problems } = open();
  await environment.scheduler();
  await appendSigned(environment, bank, pauseRecord(schedulerBank), console1, "console-1");
  expect(await isPaused(environment)).toBe(true);
  expect(problems).toEqual([]);
});

test.each([
  [
    "without a signature",
    "not-signed",
    (environment: SchedulerEnvironment, pause: AnyDecodedRecord) => environment.append(topics.journal, bank, pause),
  ],
  [
    "by a stranger's key",
    "signature-wrong",
    (environment: SchedulerEnvironment, pause: AnyDecodedRecord) => appendSigned(environment, bank, pause, stranger, "console-1"),
  ],
  [
    "by a key that is not known",
    "key-unknown",
    (environment: SchedulerEnvironment, pause: AnyDecodedRecord) => appendSigned(environment, bank, pause, console1, "console-9"),
  ],
] as const)("an operator's record %s has none; it is counted and logged, and is no dead letter [D10.93]", async (_, reason, append) => {
  const { environment, problems, refused } = open();
  await environment.scheduler();
  await append(environment, pauseRecord(schedulerBank));
  expect(await isPaused(environment)).toBe(false);
  const { partition, offset } = environment.named(topics.journal, "BankPauseRequested")[0]!;
  expect(problems).toEqual([["operator-record.refused", { kind: "BankPauseRequested", partition, offset, reason }]]);
  expect(refused()).toEqual([`sluice_operator_records_refused_total scheduler ${reason}`]);
  expect(environment.named(topics.deadLetters, "DeadLetter")).toEqual([]);
  // The partition goes on.
  await appendSigned(environment, bank, pauseRecord(schedulerBank), console1, "console-1");
  expect(await isPaused(environment)).toBe(true);
});

test("a signature is of no use for another record, and a record that is repeated as it is counts once [D10.93]", async () => {
  const { environment } = open();
  await environment.scheduler();
  await appendSigned(environment, bank, pauseRecord(schedulerBank, "p-1"), console1, "console-1");
  await environment.time.advance(2_000);
  const [first] = environment.named(topics.journal, "BankPauseRequested");
  const signature = { [operatorSignatureHeader]: first!.headers[operatorSignatureHeader]! };
  const other = environment.serde.encode("BankPauseRequested", pauseRecord("second", "p-2").value);
  await environment.appendRaw(first!.partition, first!.key, other, signature);
  await environment.appendRaw(first!.partition, first!.key, first!.value, signature);
  await environment.time.advance(2_000);
  const states = await environment.settle(environment.store.banks.load([schedulerBank]));
  expect(states.get(schedulerBank)?.decisions.map(({ action }) => action.id)).toEqual(["p-1"]);
});

test("a declaration needs a signature where an operator made it, and none where a connector did [D10.93]", async () => {
  const { environment, problems } = open();
  await environment.scheduler();
  await environment.until("opened", () => environment.named(topics.journal, "WindowOpened").length >= environment.partitionCount);
  const byOperator = operatorCreditsFinalRecord(null, environment.time.nowMs(), "final-1");
  await environment.append(topics.journal, schedulerDay, byOperator);
  await environment.time.advance(1_000);
  const refusals = () => problems.filter(([event]) => event === "operator-record.refused");
  expect(refusals()).toHaveLength(1);
  const byConnector = { ...byOperator, value: { ...byOperator.value, requestedBy: "clearing", action: null } };
  await environment.append(topics.journal, schedulerDay, byConnector);
  await environment.time.advance(1_000);
  expect(refusals()).toHaveLength(1);
});

test("records from before the rule are judged as they were, at first and in a rebuild [D10.93]", async () => {
  const fromMs = schedulerStartAtMs + 15_000;
  const { environment, problems } = open(required(fromMs));
  await environment.scheduler();
  await environment.until("opened", () => environment.named(topics.journal, "WindowOpened").length >= environment.partitionCount);
  expect(environment.time.nowMs()).toBeLessThan(fromMs);
  await environment.append(topics.journal, schedulerDay, closeExtensionRecord(1, closesAtMs + 20_000));
  await environment.time.advance(fromMs - environment.time.nowMs());
  await environment.append(topics.journal, schedulerDay, closeExtensionRecord(1, closesAtMs + 25_000));
  await appendSigned(environment, schedulerDay, closeExtensionRecord(1, closesAtMs + 22_000), console1, "console-1");
  await environment.hold(environment.uetr());
  await environment.time.advance(3_000);
  expect(problems.map(([event]) => event)).toEqual(["operator-record.refused"]);
  const day = (await environment.settle(environment.store.days.load([schedulerDay]))).get(schedulerDay);
  expect(day?.decisions.map(({ result }) => result)).toEqual(["applied", "applied"]);

  const rebuild = async (operatorSignatures: OperatorSignatures | null) => {
    const { store, serde, partitionCount, time } = environment;
    const configuration = sampleConfiguration({ operatorSignatures });
    const messaging = environment.broker.client("builder");
    const rest = { builderId: "builder-1", service: "scheduler", progress: () => {}, handlers: journalHandlers, rulesVersion };
    const ports = { store, serde, partitionCount, time, messaging, configuration, ...rest };
    const options = { isDryRun: true, accepts: "nothing" } as const;
    const built = [];
    for (let partition = 0; partition < partitionCount; partition += 1)
      built.push(await environment.settle(rebuildPartition(ports, partition, options)));
    return built.flatMap((one) => one?.differences ?? []);
  };
  expect(await rebuild(required(fromMs))).toEqual([]);
  // Without the rule the unsigned one would have counted.
  expect(await rebuild(null)).not.toEqual([]);
});

test("a request to skip a record counts only with the console's signature [D10.93]", async () => {
  const { environment, problems } = open();
  await environment.scheduler();
  const uetr = environment.uetrInPartition(0);
  await environment.appendRaw(0, new TextEncoder().encode(uetr), Uint8Array.of(0, 0, 0, 0x27, 0x0f, 1, 2));
  await environment.time.advance(5_000);
  const record = environment.broker.records({ topic: topics.journal, partition: 0 }).find(({ value }) => value?.[4] === 0x0f)!;
  const by = { operator: "thandi", person: "thandi", confirmedBy: "sipho", actionId: "skip-1", stage: "requested" } as const;
  const letter = buildDeadLetter({ record, reason: "ticket 4711", service: "scheduler", skip: by }, environment.serde);
  const producer = await environment.settle(environment.broker.client("console").producer("console"));
  const done = () => environment.named(topics.deadLetters, "DeadLetter").filter((one) => one.headers[headers.skip] === "done");
  await environment.settle(producer.send([letter]));
  await environment.time.advance(15_000);
  expect(done()).toEqual([]);
  expect(problems).toContainEqual(["operator-record.refused", expect.objectContaining({ kind: "DeadLetter", reason: "not-signed" })]);
  const signature = { [operatorSignatureHeader]: signRecord(console1, "console-1", letter) };
  await environment.settle(producer.send([{ ...letter, headers: { ...letter.headers, ...signature } }]));
  await environment.until("skipped", () => done().length === 1);
});
