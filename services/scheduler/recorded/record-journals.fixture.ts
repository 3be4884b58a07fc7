// Records the journals in `golden/`, and what the present version of the rules decides in each:
// `node services/scheduler/recorded/record-journals.fixture.ts`. A journal that is there is never recorded again,
// because it stands for the journals of installations. A new one gets a name of its own.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { topics } from "@sluice/contracts";
import {
  closesAtMs,
  creditDeadlineMs,
  opensAtMs,
  reconciliationAtMs,
  SchedulerEnvironment,
  type SchedulerEnvironmentOptions,
} from "../scheduler.fixture.ts";
import { gateOpeningRecord, pauseRecord, resumeRecord, closeExtensionRecord } from "../operator-records.fixture.ts";
import { addDecisions, foldJournal, type RulesRecord } from "./fold-journal.fixture.ts";
import { formatJournal, parseJournal } from "./journal-file.fixture.ts";

const second = "second";
export const recordedOptions: SchedulerEnvironmentOptions = { partitionCount: 1, banks: [second], creditsFinal: "connector" };
export const recordedFolder = join(import.meta.dirname, "golden");

type Scenario = (environment: SchedulerEnvironment) => Promise<void>;

async function at(environment: SchedulerEnvironment, atMs: number): Promise<void> {
  await environment.time.advance(Math.max(0, atMs - environment.time.nowMs()));
}

async function deliverAndReport(environment: SchedulerEnvironment, uetr: string, outcome: "made" | "not-made"): Promise<void> {
  await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "D"));
  await environment.append(topics.journal, uetr, environment.report(uetr, outcome));
}

/** Debits on us that end in each way: made, not made, refused, unanswered, unverified; a repeat and an orphan. */
async function onUs(environment: SchedulerEnvironment): Promise<void> {
  const [made, unpaid, refused, unanswered, unverified] = Array.from({ length: 5 }, () => environment.uetr());
  for (const uetr of [made!, unpaid!, unanswered!]) await environment.hold(uetr);
  const debit = environment.debit(refused!);
  await environment.append(topics.journal, refused!, debit);
  await environment.append(topics.journal, refused!, debit);
  await environment.append(topics.journal, refused!, environment.verdict(debit, "REFUSED"));
  await environment.append(topics.journal, refused!, environment.deliveryEnded(refused!, "R"));
  await environment.append(topics.journal, unverified!, environment.debit(unverified!));
  const orphan = environment.uetr();
  await environment.append(topics.journal, orphan, environment.report(orphan, "made"));
  await at(environment, opensAtMs + 1_000);
  await environment.declare();
  await environment.until("released", () => environment.events(unanswered!).length >= 5);
  await deliverAndReport(environment, made!, "made");
  await deliverAndReport(environment, unpaid!, "not-made");
  await environment.append(topics.journal, unanswered!, environment.deliveryEnded(unanswered!, "D"));
}

/** Debits of other banks' customers and credits: made, past their deadline, and a record that nobody can read. */
async function fromConnector(environment: SchedulerEnvironment): Promise<void> {
  const [debit, credit, late, unread] = Array.from({ length: 4 }, () => environment.uetr());
  await environment.holdOffUs(debit!);
  await environment.credit(credit!);
  await environment.endCredit(credit!);
  await environment.credit(late!);
  await environment.appendRaw(0, Buffer.from(unread!, "utf8"), Uint8Array.of(7, 7, 7, 7, 7, 7), {
    "sluice-type": "CreditTransferReceived",
  });
  await at(environment, opensAtMs + 1_000);
  await environment.declare();
  await environment.until("answered", () => environment.named(topics.journal, "PartitionCredits").length === 1);
  await environment.append(topics.journal, "ZA_EFT:2026-11-20", gateOpeningRecord("first", [late!, unread!], "open-1"));
  await environment.until("released", () => environment.events(debit!).length >= 4);
  await deliverAndReport(environment, debit!, "made");
  await at(environment, reconciliationAtMs + creditDeadlineMs);
}

/** Operators: a withdrawal, a pause with its end, a later close. */
async function operators(environment: SchedulerEnvironment): Promise<void> {
  const [withdrawn, paused] = [environment.uetr(), environment.uetr()];
  await environment.hold(withdrawn);
  await environment.hold(paused);
  await environment.append(topics.journal, "bank:first", pauseRecord("first", "pause-1"));
  const action = {
    id: "withdraw-1",
    operator: "thandi",
    person: null,
    reason: "the customer asked",
    requestedAtMs: environment.time.nowMs(),
    confirmedBy: null,
  };
  await environment.append(topics.journal, withdrawn, { name: "WithdrawalRequested", value: { action } });
  await environment.append(topics.journal, "ZA_EFT:2026-11-20", closeExtensionRecord(1, closesAtMs + 5_000, "extend-1"));
  await at(environment, opensAtMs + 1_000);
  await environment.declare();
  await environment.time.advance(2_000);
  await environment.append(topics.journal, "bank:first", resumeRecord("first", "resume-1"));
  await environment.until("released", () => environment.events(paused).length >= 5);
  await deliverAndReport(environment, paused, "made");
}

/** A gate that stays closed: one debit is carried over, one becomes an item. */
async function carriedOver(environment: SchedulerEnvironment): Promise<void> {
  const [carried, stays] = [environment.uetr(), environment.uetr()];
  await environment.hold(carried, undefined, second, 1);
  await environment.hold(stays, undefined, second);
  await environment.credit(environment.uetr(), { bank: second });
  await at(environment, opensAtMs + 1_000);
  await environment.declare();
}

export const recordedScenarios: Readonly<Record<string, Scenario>> = {
  "on-us": onUs,
  "from-the-connector": fromConnector,
  operators,
  "carried-over": carriedOver,
};

async function record(play: Scenario): Promise<string> {
  const environment = new SchedulerEnvironment(recordedOptions);
  await environment.scheduler();
  await environment.until("planned", () => environment.named(topics.journal, "DayTimes").length > 0);
  await environment.time.advance(1_000);
  await play(environment);
  await at(environment, reconciliationAtMs + 10_000);
  return formatJournal(environment.broker.records({ topic: topics.journal, partition: 0 }));
}

/** Writes what the present version of the rules decides, where `rules.json` does not say it yet. */
async function recordDecisions(): Promise<void> {
  const today: Record<string, string> = {};
  for (const name of Object.keys(recordedScenarios)) {
    const journal = readFileSync(join(recordedFolder, `${name}.journal.jsonl`), "utf8");
    today[name] = (await foldJournal(parseJournal(journal), recordedOptions)).decisions;
  }
  const path = join(recordedFolder, "rules.json");
  const recorded: RulesRecord = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  writeFileSync(path, `${JSON.stringify(addDecisions(recorded, today), null, 2)}\n`);
}

if (import.meta.main) {
  mkdirSync(recordedFolder, { recursive: true });
  for (const [name, play] of Object.entries(recordedScenarios)) {
    const path = join(recordedFolder, `${name}.journal.jsonl`);
    if (!existsSync(path)) writeFileSync(path, await record(play));
  }
  await recordDecisions();
}
