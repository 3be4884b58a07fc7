// A business day on Kafka as a bank runs it: three brokers, TLS with certificates on both sides, logins, and two copies
// of a record before it is acknowledged. Each broker is killed once while it leads partitions of the journal, and then
// two of them at once.
//
// #1 The load repeats nothing, so what a killed broker costs a caller is seen as it is. The figures are printed.

import { topics } from "@sluice/contracts";
import { type SecuredBrokers, startSecuredBrokers } from "@sluice/environment";
import { machineTime } from "@sluice/kernel";
import { reportSettled } from "@sluice/testkit";
import { type Admin, Kafka, logLevel } from "kafkajs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DebitFeed, startDebitFeed } from "../kubernetes/debit-feed.ts";
import { type Figures, formatFigures, measure } from "../kubernetes/figures.ts";
import { type E2eEnvironment, openE2eEnvironment } from "./environment/environment.ts";
import { createCases } from "./parties/cases.ts";
import { flows } from "./parties/flows.ts";
import { enteredStates, loadTransaction, untilHolds, untilState } from "./recorded/evidence.ts";

const banks = [
  { id: "acacia", branch: "250655" },
  { id: "baobab", branch: "250656" },
];
const brokerCount = 3;
/** Debits a second of the load. */
const perSecond = 20;
/** Debits that must come to the bank before and after something is done to a broker. */
const debitsAround = 40;
/** A debit that comes later than that is lost. */
const debitMaxMs = 60_000;
/** The part of the load that must be accepted; the rest is answered 503, which asks for a repeat. */
const acceptedMin = 0.5;

const opened = new AsyncDisposableStack();
/** The transactions that were accepted and must end well. */
const ended: string[] = [];
let brokers: SecuredBrokers;
let environment: E2eEnvironment;
let admin: Admin;
const { caseFor, submit } = createCases(() => environment, banks);

beforeAll(async () => {
  brokers = await startSecuredBrokers(opened);
  const kafka = new Kafka({ brokers: [...brokers.kafka.internalBrokers], logLevel: logLevel.NOTHING });
  admin = kafka.admin();
  await admin.connect();
  opened.defer(() => admin.disconnect());
  environment = opened.use(await openE2eEnvironment(banks, "clock", { brokers }));
  const settles = (["inboundDirectDebit", "inboundCreditTransferAuthorization"] as const).map((operation) => ({
    operation,
    reports: [reportSettled()],
  }));
  for (const { id } of banks) environment.bank(id).addRules(settles);
}, 300_000);
afterAll(() => opened.disposeAsync());

async function journalPartitions() {
  const { topics: found } = await admin.fetchTopicMetadata({ topics: [topics.journal] });
  return found.flatMap(({ partitions }) => partitions);
}

/** The nodes of the brokers are numbered from 1. */
async function partitionsLedBy(broker: number): Promise<number> {
  return (await journalPartitions()).filter(({ leader }) => leader === broker + 1).length;
}

async function untilAllInSync(): Promise<void> {
  await untilHolds(async () => {
    const counts = (await journalPartitions()).map(({ isr }) => isr.length);
    expect(new Set(counts)).toEqual(new Set([brokerCount]));
  });
}

function debitsSince(atMs: number): number {
  const entries = environment.recorded.receivedEntries().filter((entry) => entry.operation === "inboundDirectDebit" && entry.atMs >= atMs);
  return new Set(entries.map(({ uetr }) => uetr)).size;
}

/** Lets the load go on until the bank has so many more debits. */
async function untilMoreDebits(): Promise<void> {
  const sinceMs = machineTime.nowMs();
  await untilHolds(() => expect(debitsSince(sinceMs)).toBeGreaterThanOrEqual(debitsAround));
}

/** Disturbs the brokers under load, and prints what that cost. */
async function disturb(name: string, disturbance: () => Promise<void>): Promise<Figures> {
  const bank = { id: "acacia", branch: "250655", token: environment.tokenOf("acacia") };
  const feed = startDebitFeed({ ingressUrl: environment.services.ingressUrl, bank, perSecond, recorder: environment.recorded });
  try {
    await untilMoreDebits();
    await disturbance();
    await untilMoreDebits();
  } catch (error) {
    await feed.stop();
    throw error;
  }
  const figures = await settle(feed);
  process.stdout.write(`${formatFigures(name, figures)}\n`);
  return figures;
}

async function settle(feed: DebitFeed): Promise<Figures> {
  const sent = await feed.stop();
  ended.push(...sent.filter(({ outcome }) => outcome === 202).map(({ uetr }) => uetr));
  const look = (): Figures => measure(sent, environment.recorded.receivedEntries());
  await untilHolds(() => expect(look().lost).toBe(0), debitMaxMs).catch(() => undefined);
  return look();
}

describe("a day on three brokers with TLS and logins", () => {
  test("every topic has three replicas, and no service warns of one", async () => {
    const { topics: found } = await admin.fetchTopicMetadata({ topics: Object.values(topics) });
    expect(new Set(found.flatMap(({ partitions }) => partitions.map(({ replicas }) => replicas.length)))).toEqual(new Set([brokerCount]));
    const logs = await Promise.all(
      (["ingress", "validator", "scheduler", "dispatcher"] as const).map((name) => environment.services.readLog(name)),
    );
    expect(logs.join("\n")).not.toContain("topics.unsafe");
  });

  test.each(["on-us", "off-us", "credit"] as const)("I6: a journey of the flow %s ends well", async (flow) => {
    const journey = caseFor(flow, "journey", "baobab");
    await submit(journey);
    ended.push(journey.uetr);
    const transaction = await untilState(environment, journey.uetr, flows[flow].path.at(-1) ?? "");
    expect(enteredStates(transaction)).toEqual(flows[flow].path);
  });

  test.each([0, 1, 2])("I1: SIGKILL of broker %i while it leads partitions of the journal loses nothing [D10.57]", async (broker) => {
    await untilAllInSync();
    const led = await partitionsLedBy(broker);
    expect(led).toBeGreaterThan(0);
    const figures = await disturb(`SIGKILL of the leader of ${led} partitions of the journal`, async () => {
      await brokers.kafka.killBroker(broker);
      try {
        await untilMoreDebits();
      } finally {
        await brokers.kafka.restartBroker(broker);
      }
      await untilAllInSync();
    });
    expect(figures).toMatchObject({ lost: 0, unanswered: 0 });
    expect(figures.accepted).toBeGreaterThan(acceptedMin * figures.sent);
  });

  test("I1, I16: with one broker of three nothing is accepted, and all goes on when a second is back", async () => {
    await untilAllInSync();
    const figures = await disturb("SIGKILL of two brokers", async () => {
      await Promise.all([brokers.kafka.killBroker(0), brokers.kafka.killBroker(1)]);
      // What was sent before the brokers ended may still be accepted.
      const killedAtMs = machineTime.nowMs();
      await untilHolds(() => expect(sentSince(503, killedAtMs)).toBeGreaterThan(debitsAround));
      expect(sentSince(202, killedAtMs)).toBe(0);
      await brokers.kafka.restartBroker(0);
    });
    expect(figures).toMatchObject({ lost: 0, unanswered: 0 });
    await brokers.kafka.restartBroker(1);
    await untilAllInSync();
  });

  test("I10: a debit that the bank never reports on is the one item of the close", async () => {
    const silent = caseFor("on-us", "unreported", "baobab");
    environment.bank("baobab").addRules([{ operation: "inboundDirectDebit", uetr: silent.uetr, reports: [] }]);
    await submit(silent);
    await untilState(environment, silent.uetr, "DELIVERED");
    await untilHolds(async () => expect(await unfinished()).toEqual([]));
    await environment.closeDay();
    const { items } = await untilState(environment, silent.uetr, "RECONCILIATION");
    expect(items.map(({ row }) => row)).toEqual([9]);
  });

  test("I1, I3, I4, I5, I6, I8, I10: the checker finds nothing in the whole history, and no service ended by itself", async () => {
    await untilHolds(async () => {
      const { violations, counts } = await environment.check();
      expect(violations).toEqual([]);
      // A debit that was answered 503 may be in the journal all the same.
      expect(counts["transactionsFollowed"]).toBeGreaterThanOrEqual(ended.length + 1);
    });
    expect(environment.services.lost()).toEqual([]);
  });
});

/** Accepted transactions that have not ended well. */
async function unfinished(): Promise<readonly string[]> {
  const ends = ["COMPLETED", "CREDIT_AUTH_RESPONSE_ACCEPTED"];
  const found = await Promise.all(ended.map((uetr) => loadTransaction(environment, uetr)));
  return found.filter(({ state }) => !ends.includes(state)).map(({ state }) => state);
}

function sentSince(status: number, atMs: number): number {
  return environment.recorded.requests.filter(({ entry }) => entry.kind === "sent" && entry.status === status && entry.atMs >= atMs).length;
}
