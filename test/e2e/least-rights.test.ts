// Everything that services do at the broker, with exactly the rights of packages/contracts/rights: each has a user of
// its own, and provisioning has made its ACLs. The broker logs every decision about a right.
//
// #1 No decision refuses a service, and each right is used. So none is missing, and none is too much. One right is left
//    out: the console reads state events only once retention has removed events.

import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brokerRightsOf, brokerServices, headers, partitionCountDefault, partitionFor, topics } from "@sluice/contracts";
import { type SecuredBrokers, startBrokerWithRights } from "@sluice/environment";
import { machineTime } from "@sluice/kernel";
import { reportSettled } from "@sluice/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type E2eEnvironment, openE2eEnvironment } from "./environment/environment.ts";
import { createCases } from "./parties/cases.ts";
import { flows } from "./parties/flows.ts";
import { askControl, decideAndApply, decideOnce, readRows } from "./parties/operators.ts";
import { enteredStates, untilHolds, untilState } from "./recorded/evidence.ts";

const banks = [
  { id: "acacia", branch: "250655" },
  { id: "baobab", branch: "250656" },
];
const operators = [{ id: "thandi", roles: ["read", "act"] }] as const;
/** A schema that no registry has. */
const unknownSchema = Buffer.from([0, 0, 127, 255, 255, 0]);
/** Milliseconds within which the audit is sealed: a minute, and a start on a busy machine. */
const sealedMaxMs = 120_000;
const extendedByMs = 10 * 3_600_000;

const opened = new AsyncDisposableStack();
let broker: SecuredBrokers;
let environment: E2eEnvironment;
const { caseFor, submit } = createCases(() => environment, banks);

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-audit-"));
  opened.defer(() => rm(folder, { recursive: true }));
  const keyFile = join(folder, "key.pem");
  const { privateKey } = generateKeyPairSync("ed25519");
  await writeFile(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  broker = await startBrokerWithRights(opened);
  const references = { SLUICE_AUDIT_KEY_FILE: keyFile };
  environment = opened.use(await openE2eEnvironment(banks, "clock", { brokers: broker, operators, secondPerson: ["extend"], references }));
  for (const { id } of banks) {
    const settles = (["inboundDirectDebit", "inboundCreditTransferAuthorization"] as const).map((operation) => ({
      operation,
      reports: [reportSettled()],
    }));
    environment.bank(id).addRules(settles);
  }
}, 300_000);
afterAll(() => opened.disposeAsync());

test.each(["on-us", "off-us", "credit"] as const)("I6: a journey of the flow %s ends well, and its timeline can be read", async (flow) => {
  const journey = caseFor(flow, "journey", "baobab");
  await submit(journey);
  const transaction = await untilState(environment, journey.uetr, flows[flow].path.at(-1) ?? "");
  expect(enteredStates(transaction)).toEqual(flows[flow].path);
  const { uetr } = journey;
  expect(await askControl(environment, "thandi", `/transactions/${uetr}`)).toMatchObject({ timeline: { uetr } });
});

/** Appends a record that stops the partition of each service, and has an operator skip it. */
async function skip(topic: string, key: string, type: string, services: readonly string[]): Promise<void> {
  const producer = await environment.messaging.producer("e2e-newer-writer");
  const partition = partitionFor(key, partitionCountDefault);
  const record = { topic, partition, key: Buffer.from(key), value: unknownSchema, headers: { [headers.type]: type } };
  const [appended] = await producer.send([record]);
  for (const service of services) {
    const body = { reason: "written by a trial version", service, topic, partition, offset: String(appended?.offset) };
    await untilHolds(async () => {
      const { status, text } = await decideOnce(environment, "thandi", { path: "/skip", id: `skip-${service}`, body });
      expect([service, status, text]).toEqual([service, 202, expect.anything()]);
    });
  }
}

test("records that stop a partition of each service are skipped, and lie in the dead letters", async () => {
  const { uetr } = caseFor("on-us", "stopped");
  await skip(topics.journal, uetr, "DirectDebitReceived", ["scheduler", "validator"]);
  await skip(topics.dispatch, uetr, "Dispatch", ["dispatcher"]);
  await skip(topics.events, uetr, "TransactionStateEvent", ["event-publisher"]);
  await untilHolds(async () => {
    const rows = readRows(await askControl(environment, "thandi", `/dead-letters?key=${uetr}`));
    const services = new Set(rows.map((row) => String(row["service"])));
    expect([rows.length, services.size]).toEqual([8, 4]);
  });
});

test("an operator calls a bank's addresses, pauses it for a while, and proposes what needs a second person", async () => {
  const reason = "The bank asked for it.";
  await decideAndApply(environment, "thandi", { path: "/banks/acacia/pause", id: "pause-1", body: { reason } });
  await decideAndApply(environment, "thandi", { path: "/banks/acacia/resume", id: "resume-1", body: { reason } });
  const check = { path: "/banks/acacia/check", id: "check-1", body: { reason: "before the window" } };
  expect(await decideOnce(environment, "thandi", check)).toMatchObject({ status: 202 });
  const path = `/days/ZA_EFT/${environment.businessDate}/close-extension`;
  // It is about noon in the day's zone, and the reconciliation closes at 21:00.
  const closesAt = new Date(machineTime.nowMs() + extendedByMs).toISOString();
  const extension = { window: 0, closesAt, reason: "A bank is late." };
  expect(await decideOnce(environment, "thandi", { path, id: "extend-1", body: extension })).toMatchObject({ status: 202 });
});

test("I10: a debit that the bank never reports on is an item of the close", async () => {
  const silent = caseFor("on-us", "unreported", "baobab");
  environment.bank("baobab").addRules([{ operation: "inboundDirectDebit", uetr: silent.uetr, reports: [] }]);
  await submit(silent);
  await untilState(environment, silent.uetr, "DELIVERED");
  await environment.closeDay();
  const { items } = await untilState(environment, silent.uetr, "RECONCILIATION");
  expect(items.map(({ row }) => row)).toEqual([9]);
});

interface Decision {
  readonly isAllowed: boolean;
  readonly level: string;
  readonly right: string;
  readonly line: string;
}

const decided =
  /\] (\w+) Principal = User:sluice-(\S+) is (Allowed|Denied) operation = (\w+) from host = \S+ on resource = (\w+):LITERAL:(\S+) for/;

async function readDecisions(): Promise<readonly Decision[]> {
  const lines = (await broker.kafka.readLogs()).split("\n");
  return lines.flatMap((line) => {
    const [, level = "", service = "", outcome, operation = "", kind = "", name = ""] = decided.exec(line) ?? [];
    if (outcome === undefined) return [];
    const right = rightText(service, operation.toLowerCase().replace("_", "-"), kind.toLowerCase(), name);
    return [{ isAllowed: outcome === "Allowed", level, right, line }];
  });
}

function rightText(service: string, operation: string, kind: string, name: string): string {
  return `${service}: ${operation} ${kind} ${name}`;
}

const notUsed = `console: read topic ${topics.stateEvents}`;

test("the broker refused no service anything, and each right but one was used", async () => {
  const rights = brokerServices.flatMap((service) =>
    brokerRightsOf(service).map(({ operation, kind, name }) => rightText(service, operation, kind, name)),
  );
  await untilHolds(async () => {
    const used = new Set((await readDecisions()).filter(({ isAllowed }) => isAllowed).map(({ right }) => right));
    expect(rights.filter((right) => !used.has(right))).toEqual([notUsed]);
  }, sealedMaxMs);
  // At a lower level the broker logs what it left out of a list, which nobody asked for by name.
  expect((await readDecisions()).filter(({ isAllowed, level }) => !isAllowed && level === "INFO").map(({ line }) => line)).toEqual([]);
  expect(environment.services.lost()).toEqual([]);
});
