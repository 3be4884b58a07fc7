// What people do during a simulated day: they withdraw debits, pause and resume a bank, put back the close, declare credits final, open a gate over
// the credits that they are shown, have a refused delivery tried again, and resolve items when the day is over. Each is a record of the
// journal, as the console appends it; an answer may be lost, and then the same action is sent once more.

import type { SentEntry } from "@sluice/checker";
import { fixedSerde, outgoingRecord, topics } from "@sluice/contracts";
import type { AnyDecoded } from "@sluice/contracts";
import { dayKey } from "@sluice/domain";
import type { MemoryLog } from "@sluice/messaging";
import type { Random } from "@sluice/runtime";
import type { Store } from "@sluice/store";
import type { VirtualTime } from "@sluice/testkit";

/** Times from the start of the run. */
export type PlannedAction =
  | { readonly kind: "withdraw"; readonly atMs: number; readonly uetr: string }
  | { readonly kind: "redrive"; readonly atMs: number; readonly uetr: string }
  /** `untilMs`: a maintenance. */
  | { readonly kind: "pause"; readonly atMs: number; readonly bank: string; readonly untilMs?: number }
  | { readonly kind: "resume"; readonly atMs: number; readonly bank: string }
  | { readonly kind: "put back"; readonly atMs: number; readonly window: number; readonly closesAtMs: number }
  | { readonly kind: "declare"; readonly atMs: number }
  | { readonly kind: "open gate"; readonly atMs: number; readonly bank: string }
  | { readonly kind: "resolve all"; readonly atMs: number };

export interface OperatorsOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly log: MemoryLog;
  /** As people see it. */
  readonly store: Store;
  readonly lanes: number;
  readonly startAtMs: number;
  readonly businessDate: string;
  readonly actions: readonly PlannedAction[];
}

export interface Operators {
  /** What was appended, as operators were told. */
  entries(): readonly SentEntry[];
  busy(): number;
}

const scheme = "ZA_EFT";
const sentTwice = 0.2;
const againAfterMs = 1_000;
const resolutions = ["MADE", "NOT_MADE"] as const;

/** Times from the start of the run: what people do around a window of one bank's debits. */
export interface DayOfActions {
  readonly opensMs: number;
  readonly closesMs: number;
  readonly reconcilesMs: number;
  /** When everything goes well again: items are resolved then, and no bank is paused any more. */
  readonly healMs: number;
  readonly banks: readonly string[];
  /** Debits and credits of the day. */
  readonly uetrs: readonly string[];
}

const withdrawalsMax = 3;
const redrivesMax = 4;

/** Half of the days have operators. */
export function drawActions(random: Random, day: DayOfActions): readonly PlannedAction[] {
  if (random.fraction() < 0.5) return [];
  const { opensMs, closesMs, reconcilesMs, healMs, banks, uetrs } = day;
  const between = (from: number, to: number): number => from + random.fraction() * (to - from);
  const oneOf = <T>(values: readonly T[]): T | undefined => values[Math.floor(random.fraction() * values.length)];
  const some = (most: number): readonly string[] =>
    Array.from({ length: Math.floor(random.fraction() * (most + 1)) }, () => oneOf(uetrs) ?? "");
  const actions: PlannedAction[] = [
    ...some(withdrawalsMax).map((uetr) => ({ kind: "withdraw", atMs: between(opensMs / 2, opensMs + 10_000), uetr }) as const),
    ...some(redrivesMax).map((uetr) => ({ kind: "redrive", atMs: between(opensMs + 5_000, reconcilesMs), uetr }) as const),
    { kind: "resolve all", atMs: healMs },
  ];
  const bank = oneOf(banks);
  if (bank !== undefined && random.fraction() < 0.5) {
    const atMs = between(opensMs / 2, closesMs);
    const endMs = between(atMs, healMs - 10_000);
    const isMaintenance = random.fraction() < 0.5;
    if (!isMaintenance) actions.push({ kind: "pause", atMs, bank }, { kind: "resume", atMs: endMs, bank });
    else {
      // Half of them are given another end, before or after the first one.
      const changedAtMs = between(atMs, endMs);
      const change = { kind: "pause", atMs: changedAtMs, bank, untilMs: between(changedAtMs, healMs - 10_000) } as const;
      actions.push({ kind: "pause", atMs, bank, untilMs: endMs }, ...(random.fraction() < 0.5 ? [change] : []));
    }
  }
  if (random.fraction() < 0.3)
    actions.push({ kind: "put back", atMs: between(opensMs, closesMs), window: 1, closesAtMs: between(closesMs, reconcilesMs) });
  if (random.fraction() < 0.2)
    actions.push({ kind: "put back", atMs: between(opensMs, reconcilesMs), window: 0, closesAtMs: reconcilesMs + 15_000 });
  if (random.fraction() < 0.3) actions.push({ kind: "declare", atMs: between(opensMs - 5_000, closesMs - 10_000) });
  if (bank !== undefined && random.fraction() < 0.4) actions.push({ kind: "open gate", atMs: between(opensMs + 3_000, closesMs), bank });
  return actions;
}

interface ToAppend {
  readonly key: string;
  readonly decoded: AnyDecoded;
}

export function startOperators(options: OperatorsOptions): Operators {
  const { time, actions, startAtMs } = options;
  const entries: SentEntry[] = [];
  let busy = 0;
  for (const [number, action] of actions.entries()) {
    busy += 1;
    time.after(Math.max(0, startAtMs + action.atMs - time.nowMs()), () => void act(action, number).finally(() => (busy -= 1)));
  }
  const producer = options.log.client("operators").producer("operators");

  async function act(action: PlannedAction, number: number): Promise<void> {
    const records = await shown(() => recordsOf(action, number, options));
    for (const record of records) {
      const isRepeated = options.random.fraction() < sentTwice;
      for (let copy = 0; copy < (isRepeated ? 2 : 1); copy += 1) await append(record);
    }
  }

  /** An operator who is shown nothing looks again. */
  async function shown<T>(look: () => Promise<T>): Promise<T> {
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

  /** Until it is known to be there: an operator who hears nothing sends it again. */
  async function append({ key, decoded }: ToAppend): Promise<void> {
    const outgoing = outgoingRecord(fixedSerde(), topics.journal, key, decoded, { lanes: options.lanes });
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
      messageIdentification: actionIdOf(decoded),
      bodyHash: "",
      status: 202,
    });
  }

  return { entries: () => entries, busy: () => busy };
}

function actionIdOf({ value }: AnyDecoded): string {
  return "action" in value && value.action !== null ? value.action.id : "";
}

async function recordsOf(planned: PlannedAction, number: number, options: OperatorsOptions): Promise<readonly ToAppend[]> {
  const { time, businessDate, startAtMs } = options;
  const action = { id: `act-${number}`, operator: "thabo", reason: planned.kind, requestedAtMs: time.nowMs() };
  const day = dayKey(scheme, businessDate);
  const ofDay = { action, scheme, businessDate };
  switch (planned.kind) {
    case "withdraw":
      return [{ key: planned.uetr, decoded: { name: "WithdrawalRequested", value: { action } } }];
    case "redrive": {
      const messageIdentification = `${planned.uetr.replaceAll("-", "")}D`;
      return [{ key: planned.uetr, decoded: { name: "RedriveRequested", value: { action, target: "DELIVERY", messageIdentification } } }];
    }
    case "pause": {
      const untilMs = planned.untilMs === undefined ? null : Math.round(startAtMs + planned.untilMs);
      return [{ key: `bank:${planned.bank}`, decoded: { name: "BankPauseRequested", value: { action, bank: planned.bank, untilMs } } }];
    }
    case "resume":
      return [{ key: `bank:${planned.bank}`, decoded: { name: "BankResumeRequested", value: { action, bank: planned.bank } } }];
    case "put back": {
      const value = { ...ofDay, windowNumber: planned.window, closesAtMs: Math.round(startAtMs + planned.closesAtMs) };
      return [{ key: day, decoded: { name: "CloseExtensionRequested", value } }];
    }
    case "declare": {
      const value = { ...ofDay, requestedBy: "thabo", bank: null, receivedAtMs: time.nowMs() };
      return [{ key: day, decoded: { name: "CreditsFinalRequested", value } }];
    }
    case "open gate": {
      const credits = await openCreditsTo(planned.bank, options);
      return [{ key: day, decoded: { name: "GateOpeningRequested", value: { ...ofDay, bank: planned.bank, credits } } }];
    }
    case "resolve all":
      return resolutionsOf(action, options);
    default:
      throw new Error(`no such action: ${String(planned satisfies never)}`);
  }
}

/** Which credits an operator is shown: all that are open, whether or not the gate waits for them. */
async function openCreditsTo(bank: string, { store, lanes }: OperatorsOptions): Promise<readonly string[]> {
  const rows = await Promise.all(Array.from({ length: lanes }, (_, lane) => store.transactions.open(lane, null, 10_000)));
  return rows.flat().flatMap((row) => (row.flow === "credit" && row.bank === bank ? [row.uetr] : []));
}

/** Every item of the day, each with its own action. */
async function resolutionsOf(
  { id, ...action }: { readonly id: string; readonly operator: string; readonly reason: string; readonly requestedAtMs: number },
  { store, businessDate, random }: OperatorsOptions,
): Promise<readonly ToAppend[]> {
  const day = dayKey(scheme, businessDate);
  const items = await store.transactions.items(day, null, 10_000);
  return items.map(({ uetr }, index) => {
    const resolution = resolutions[Math.floor(random.fraction() * resolutions.length)] ?? "MADE";
    const value = { action: { ...action, id: `${id}-${index}` }, day, resolution, replacedBy: null, needsSecondPerson: false };
    return { key: uetr, decoded: { name: "ItemResolutionRequested", value } };
  });
}
