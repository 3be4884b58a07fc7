// Simulates the operators of a day. They withdraw debits, pause and resume a bank, extend a close, declare credits
// final, open a gate over the credits that they see, redrive a refused delivery, stop a
// delivery, and resolve items after the day. Each
// action is a record of the journal, as the console appends it. If its answer is lost, the same action is sent again.

import { createPrivateKey, createPublicKey } from "node:crypto";
import type { SentEntry } from "@sluice/checker";
import type { Configuration } from "@sluice/config";
import { type AnyDecodedRecord, type OperatorAction, outgoingRecord, topics } from "@sluice/contracts";
import { dayKey, readGateStatus } from "@sluice/domain";
import type { MemoryBroker, OutgoingRecord } from "@sluice/messaging";
import type { Random } from "@sluice/kernel";
import { operatorSignatureHeader, readSigningKey, signRecord } from "@sluice/signatures";
import type { Store } from "@sluice/store";
import type { VirtualTime } from "@sluice/testkit";
import { simulatedSerde } from "./read-history.ts";

/** An action with its time in milliseconds from the start of the run. */
export type PlannedAction =
  | { readonly kind: "withdraw"; readonly atMs: number; readonly uetr: string }
  | { readonly kind: "redrive"; readonly atMs: number; readonly uetr: string }
  /** Has the debit to the bank tried no more. */
  | { readonly kind: "stop"; readonly atMs: number; readonly uetr: string }
  /** A pause with `untilMs` is a maintenance. */
  | { readonly kind: "pause"; readonly atMs: number; readonly bank: string; readonly untilMs?: number }
  | { readonly kind: "resume"; readonly atMs: number; readonly bank: string }
  | { readonly kind: "extend close"; readonly atMs: number; readonly window: number; readonly closesAtMs: number }
  | { readonly kind: "declare"; readonly atMs: number }
  | { readonly kind: "open gate"; readonly atMs: number; readonly bank: string }
  | { readonly kind: "resolve all"; readonly atMs: number };

export interface SimulatedOperatorsOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly broker: MemoryBroker;
  /** The store as operators see it. */
  readonly store: Store;
  readonly partitionCount: number;
  readonly startAtMs: number;
  readonly businessDate: string;
  readonly actions: readonly PlannedAction[];
  /** Signs a record as the console does, in runs in which operators' records must be signed. */
  readonly sign: (record: OutgoingRecord) => OutgoingRecord;
}

export interface SimulatedOperators {
  /** The actions that operators know to be appended. */
  entries(): readonly SentEntry[];
  pendingCount(): number;
}

const scheme = "ZA_EFT";
const sentTwice = 0.2;
const againAfterMs = 1_000;
const resolutions = ["MADE", "NOT_MADE"] as const;

/** The times of a day, in milliseconds from the start of the run, around which operators act. */
export interface DayOfActions {
  readonly opensMs: number;
  readonly closesMs: number;
  readonly reconcilesMs: number;
  /** When all faults have ended: items are resolved then, and no bank is paused after it. */
  readonly healMs: number;
  /** The number of the day's last window, from 1. */
  readonly lastWindow: number;
  readonly banks: readonly string[];
  /** The debits and credits of the day. */
  readonly uetrs: readonly string[];
}

const withdrawalsMax = 3;
const redrivesMax = 4;
const stopsMax = 2;

/** Draws the actions of a day. Half of the days have none. */
export function drawActions(random: Random, day: DayOfActions): readonly PlannedAction[] {
  if (random.fraction() < 0.5) return [];
  const { opensMs, closesMs, reconcilesMs, healMs, lastWindow, banks, uetrs } = day;
  const between = (from: number, to: number): number => from + random.fraction() * (to - from);
  const drawOne = <T>(values: readonly T[]): T | undefined => values[Math.floor(random.fraction() * values.length)];
  const drawUetrs = (most: number): readonly string[] =>
    Array.from({ length: Math.floor(random.fraction() * (most + 1)) }, () => drawOne(uetrs) ?? "");
  const actions: PlannedAction[] = [
    ...drawUetrs(withdrawalsMax).map((uetr) => ({ kind: "withdraw", atMs: between(opensMs / 2, opensMs + 10_000), uetr }) as const),
    ...drawUetrs(redrivesMax).map((uetr) => ({ kind: "redrive", atMs: between(opensMs + 5_000, reconcilesMs), uetr }) as const),
    { kind: "resolve all", atMs: healMs },
  ];
  const bank = drawOne(banks);
  if (bank !== undefined && random.fraction() < 0.5) {
    const atMs = between(opensMs / 2, closesMs);
    const endMs = between(atMs, healMs - 10_000);
    const isMaintenance = random.fraction() < 0.5;
    if (!isMaintenance) actions.push({ kind: "pause", atMs, bank }, { kind: "resume", atMs: endMs, bank });
    else {
      // Half of them get another end, before or after the first one.
      const changedAtMs = between(atMs, endMs);
      const change = { kind: "pause", atMs: changedAtMs, bank, untilMs: between(changedAtMs, healMs - 10_000) } as const;
      actions.push({ kind: "pause", atMs, bank, untilMs: endMs }, ...(random.fraction() < 0.5 ? [change] : []));
    }
  }
  if (random.fraction() < 0.3)
    actions.push({
      kind: "extend close",
      atMs: between(opensMs, closesMs),
      window: lastWindow,
      closesAtMs: between(closesMs, reconcilesMs),
    });
  if (random.fraction() < 0.2)
    actions.push({ kind: "extend close", atMs: between(opensMs, reconcilesMs), window: 0, closesAtMs: reconcilesMs + 15_000 });
  if (random.fraction() < 0.3) actions.push({ kind: "declare", atMs: between(opensMs - 5_000, closesMs - 10_000) });
  if (bank !== undefined && random.fraction() < 0.4) actions.push({ kind: "open gate", atMs: between(opensMs + 3_000, closesMs), bank });
  return [...actions, ...drawUetrs(stopsMax).map((uetr) => ({ kind: "stop", atMs: between(opensMs, reconcilesMs), uetr }) as const)];
}

interface ToAppend {
  readonly key: string;
  readonly decoded: AnyDecodedRecord;
}

export function startSimulatedOperators(options: SimulatedOperatorsOptions): SimulatedOperators {
  const { time, actions, startAtMs } = options;
  const entries: SentEntry[] = [];
  let pending = 0;
  for (const [number, action] of actions.entries()) {
    pending += 1;
    time.after(Math.max(0, startAtMs + action.atMs - time.nowMs()), () => void act(action, number).finally(() => (pending -= 1)));
  }
  const producer = options.broker.client("operators").producer("operators");

  async function act(action: PlannedAction, number: number): Promise<void> {
    const records = await retryLook(() => buildRecords(action, number, options));
    for (const record of records) {
      const isRepeated = options.random.fraction() < sentTwice;
      for (let copy = 0; copy < (isRepeated ? 2 : 1); copy += 1) await append(record);
    }
  }

  /** Repeats a failed read, as an operator does who sees no answer. */
  async function retryLook<T>(look: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await look();
      } catch {
        await later();
      }
    }
  }

  function later(): Promise<void> {
    return new Promise((resolve) => time.after(againAfterMs, resolve));
  }

  /** Sends an action until it is acknowledged, as an operator does who gets no answer. */
  async function append({ key, decoded }: ToAppend): Promise<void> {
    const outgoing = options.sign(outgoingRecord(simulatedSerde, topics.journal, key, decoded, { partitionCount: options.partitionCount }));
    for (;;) {
      try {
        await (await producer).send([outgoing]);
        break;
      } catch {
        await later();
      }
    }
    entries.push({
      kind: "sent",
      atMs: time.nowMs(),
      bank: "thabo",
      operation: "operatorAction",
      uetr: key,
      messageIdentification: actionId(decoded),
      bodyHash: "",
      status: 202,
    });
  }

  return { entries: () => entries, pendingCount: () => pending };
}

function actionId({ value }: AnyDecodedRecord): string {
  return "action" in value && value.action !== null ? value.action.id : "";
}

async function buildRecords(planned: PlannedAction, number: number, options: SimulatedOperatorsOptions): Promise<readonly ToAppend[]> {
  const { time, businessDate, startAtMs } = options;
  const action = {
    id: `act-${number}`,
    operator: "thabo",
    person: null,
    reason: planned.kind,
    requestedAtMs: time.nowMs(),
    confirmedBy: null,
  };
  const day = dayKey(scheme, businessDate);
  const ofDay = { action, scheme, businessDate };
  switch (planned.kind) {
    case "withdraw":
      return [{ key: planned.uetr, decoded: { name: "WithdrawalRequested", value: { action } } }];
    case "redrive": {
      const messageIdentification = `${planned.uetr.replaceAll("-", "")}D`;
      return [{ key: planned.uetr, decoded: { name: "RedriveRequested", value: { action, target: "DELIVERY", messageIdentification } } }];
    }
    case "stop": {
      const messageIdentification = `${planned.uetr.replaceAll("-", "")}D`;
      return [
        { key: planned.uetr, decoded: { name: "DeliveryStopRequested", value: { action, target: "DELIVERY", messageIdentification } } },
      ];
    }
    case "pause": {
      const untilMs = planned.untilMs === undefined ? null : Math.round(startAtMs + planned.untilMs);
      return [{ key: `bank:${planned.bank}`, decoded: { name: "BankPauseRequested", value: { action, bank: planned.bank, untilMs } } }];
    }
    case "resume":
      return [{ key: `bank:${planned.bank}`, decoded: { name: "BankResumeRequested", value: { action, bank: planned.bank } } }];
    case "extend close": {
      const value = { ...ofDay, windowNumber: planned.window, closesAtMs: Math.round(startAtMs + planned.closesAtMs) };
      return [{ key: day, decoded: { name: "CloseExtensionRequested", value } }];
    }
    case "declare": {
      const value = { ...ofDay, requestedBy: "thabo", bank: null, receivedAtMs: time.nowMs() };
      return [{ key: day, decoded: { name: "CreditsFinalRequested", value } }];
    }
    case "open gate": {
      const credits = await findOpenCredits(planned.bank, options);
      // The console refuses it otherwise: a store that was restored may have neither the declaration nor the credits.
      if (!(await isGateWaiting(planned.bank, options))) return [];
      return [{ key: day, decoded: { name: "GateOpeningRequested", value: { ...ofDay, bank: planned.bank, credits } } }];
    }
    case "resolve all":
      return buildResolutions(action, options);
    default:
      throw new Error(`no such action: ${String(planned satisfies never)}`);
  }
}

/** True where the day waits for credits to the bank, as far as the store knows. */
async function isGateWaiting(bank: string, { store, businessDate }: SimulatedOperatorsOptions): Promise<boolean> {
  const key = dayKey(scheme, businessDate);
  const day = (await store.days.load([key])).get(key);
  return day !== undefined && readGateStatus(day, bank).kind === "credits-unresolved";
}

/** Finds the credits that an operator sees: all open ones, whether or not the gate waits for them. */
async function findOpenCredits(bank: string, { store, partitionCount }: SimulatedOperatorsOptions): Promise<readonly string[]> {
  const rows = await Promise.all(
    Array.from({ length: partitionCount }, (_, partition) => store.transactions.open(partition, null, 10_000)),
  );
  return rows.flat().flatMap((row) => (row.flow === "credit" && row.bank === bank ? [row.uetr] : []));
}

/** Builds a resolution for every item of the day, each with its own action. */
async function buildResolutions(
  { id, ...action }: OperatorAction,
  { store, businessDate, random }: SimulatedOperatorsOptions,
): Promise<readonly ToAppend[]> {
  const day = dayKey(scheme, businessDate);
  const items = await store.transactions.items(day, null, 10_000);
  return items.map(({ uetr }, index) => {
    const resolution = resolutions[Math.floor(random.fraction() * resolutions.length)] ?? "MADE";
    const value = {
      action: { ...action, id: `${id}-${index}` },
      day,
      resolution,
      replacedBy: null,
      needsSecondPerson: false,
      lifetimeMs: null,
    };
    return { key: uetr, decoded: { name: "ItemResolutionRequested", value } };
  });
}

/** The console's key is one for all runs: one seed is one run, to the last byte. */
const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, 7)]);
const privateKey = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
const publicKey = createPublicKey(privateKey).export({ format: "der", type: "spki" }).toString("base64");
const consoleKey = readSigningKey(privateKey.export({ format: "pem", type: "pkcs8" }));
const signatureSettings: NonNullable<Configuration["operatorSignatures"]> = {
  requiredFromMs: 0,
  keys: [{ id: "simulated", publicKey, notAfterMs: null }],
};

function signAsConsole(record: OutgoingRecord): OutgoingRecord {
  return { ...record, headers: { ...record.headers, [operatorSignatureHeader]: signRecord(consoleKey, "simulated", record) } };
}

export const simulatedSignatures = { key: consoleKey, settings: signatureSettings, sign: signAsConsole } as const;
