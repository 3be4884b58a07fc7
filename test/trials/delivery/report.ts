// The report of a delivery trial, and its text.

import type { BankFigures } from "./recorder.ts";
import type { DeliveryRule } from "./verdict.ts";
import type { DeliveryService, BankProfile } from "./plan.ts";

export interface BankRow extends BankFigures {
  readonly profile: BankProfile;
  /** Number of breaker openings, over both services and all their processes. */
  readonly breakerOpenings: number;
}

/** All receivers of one profile. */
export interface ClassRow {
  readonly profile: BankProfile;
  readonly receivers: number;
  readonly messages: number;
  /** Waits up to the first acknowledgement. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

export interface PhaseFigures {
  readonly messages: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface DeliveryTrialReport {
  readonly isRight: boolean;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
  readonly seed: number;
  readonly messages: number;
  readonly uetrs: number;
  readonly store: string;
  readonly kills: Readonly<Record<DeliveryService, number>>;
  /** Number of times that a process was stopped (SIGSTOP) for a minute while another took over. */
  readonly freezes: Readonly<Record<DeliveryService, number>>;
  readonly banks: readonly BankRow[];
  readonly classes: readonly ClassRow[];
  /** Latencies of the healthy banks in phase A (alone) and phase B (with traffic for the troubled banks). */
  readonly healthy: {
    readonly alone: PhaseFigures;
    readonly withTroubled: PhaseFigures;
    /** p99 of B over p99 of A; null if nothing was measured. */
    readonly p99Ratio: number | null;
  };
  /** Highest resident memory, as the kernel counts it. */
  readonly memoryMiB: Readonly<Record<DeliveryService, number>>;
  readonly violations: Readonly<Record<DeliveryRule, number>>;
  /** Folder of the evidence; null if nothing was kept. */
  readonly evidence: string | null;
  readonly tookMs: number;
}

const columns: readonly (readonly [title: string, width: number, value: (row: BankRow) => string])[] = [
  ["bank", 14, ({ bank }) => bank],
  ["profile", 11, ({ profile }) => profile],
  ["messages", 9, ({ messages }) => String(messages)],
  ["first", 8, ({ first }) => String(first)],
  ["repeats", 8, ({ repeats }) => String(repeats)],
  ["not taken", 10, ({ unacknowledged }) => String(unacknowledged)],
  ["p50", 10, ({ p50Ms }) => duration(p50Ms)],
  ["p99", 10, ({ p99Ms }) => duration(p99Ms)],
  ["longest queue", 14, ({ longestQueue }) => String(longestQueue)],
  ["opened", 7, ({ breakerOpenings }) => String(breakerOpenings)],
];
const textColumns = 2;

/** Of more banks only the classes are printed. */
const banksPrintedMax = 40;

function formatClasses(classes: readonly ClassRow[]): readonly string[] {
  return classes.map(({ profile, receivers, messages, p50Ms, p99Ms, longestMs }) => {
    const counts = `${String(receivers).padStart(5)} ${profile.padEnd(11)}${String(messages).padStart(8)} messages`;
    return `  ${counts}   p50 ${duration(p50Ms)}, p99 ${duration(p99Ms)}, longest ${duration(longestMs)}`;
  });
}

export function formatDeliveryTrialReport(report: DeliveryTrialReport): string {
  const { messages, uetrs, store, kills, freezes, banks, healthy, memoryMiB, isRight, problems, notes, evidence, tookMs } = report;
  const { alone, withTroubled, p99Ratio } = healthy;
  const printed =
    banks.length > banksPrintedMax ? [] : [line(columns.map(([title]) => title)), ...banks.map(formatBank), "", ...legend, ""];
  const seconds = (tookMs / 1_000).toFixed(0);
  return [
    ...printed,
    ...formatClasses(report.classes),
    "",
    `  messages      ${messages} of ${uetrs} UETRs, with ${store}`,
    `  SIGKILL       dispatcher ${kills.dispatcher} times, event-publisher ${kills["event-publisher"]} times`,
    `  SIGSTOP       dispatcher ${freezes.dispatcher} times, event-publisher ${freezes["event-publisher"]} times, for a minute each`,
    `  healthy banks p99 ${duration(alone.p99Ms)} alone, ${duration(withTroubled.p99Ms)} with the troubled ones: ratio ${p99Ratio ?? "unknown"}`,
    `                p50 ${duration(alone.p50Ms)} and ${duration(withTroubled.p50Ms)}; ${alone.messages} and ${withTroubled.messages} messages, without kills`,
    `  memory        at most ${memoryMiB.dispatcher} MiB (dispatcher), ${memoryMiB["event-publisher"]} MiB (event-publisher)`,
    ...notes.map((note) => `  note          ${note}`),
    "",
    isRight
      ? `Every message acknowledged, unchanged, in order, at its own bank, at healthy ones within a minute; nothing lost (${seconds} s).${evidence === null ? "" : ` Kept in ${evidence}.`}`
      : `VIOLATED (${seconds} s), evidence in ${evidence ?? "no place"}:`,
    ...problems.map((problem) => `  - ${problem}`),
  ].join("\n");
}

const legend = [
  "  first: messages that reached the bank; repeats: further attempts that did; not taken: attempts without acknowledgement;",
  "  p50, p99: from the planned append to the first acknowledgement, kills included; opened: breaker openings",
];

function formatBank(row: BankRow): string {
  return line(columns.map(([, , value]) => value(row)));
}

function line(cells: readonly string[]): string {
  return `  ${cells.map((cell, index) => pad(cell, index)).join("")}`.trimEnd();
}

function pad(cell: string, index: number): string {
  const width = columns[index]?.[1] ?? 0;
  return index < textColumns ? cell.padEnd(width) : cell.padStart(width);
}

function duration(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
