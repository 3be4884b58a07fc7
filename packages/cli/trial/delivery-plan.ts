// What a trial of deliveries goes through, as data: banks and their tempers, messages in the order in which they are appended, and the kills. A
// function of the seed and of the number of messages.
//
// #1 Five messages a UETR, all to one bank: two or three dispatches, the rest events. Those of one service leave in the order of `place`.
// #2 Messages of many UETRs lie between those of one, as they do in a topic.
// #3 Four phases: a warming-up and A bring the traffic of the healthy banks alone; B brings the same, with that of the others beside it; C brings the
//    rest to all banks, and has all the kills.
// #4 Both services are killed at least twice, about every 20 s in long trials, until C is over. All that is sick heals shortly before that.
// #5 In long trials each service is once frozen for a minute while another of its kind takes over, and thawed beside that one.

import { createHash } from "node:crypto";
import { eventId } from "@sluice/domain";
import type { Random } from "@sluice/runtime";
import { seededRandom, uetrFrom } from "@sluice/testkit";
import type { BankOperation } from "@sluice/testkit";

export type Temper = "healthy" | "refusing" | "black hole" | "slow" | "hostile" | "throttling";
export type DeliveryService = "dispatcher" | "event-publisher";

export interface PlannedBank {
  readonly id: string;
  readonly branch: string;
  readonly temper: Temper;
}

export interface PlannedMessage {
  /** Its webhook-id. */
  readonly id: string;
  readonly uetr: string;
  readonly bank: string;
  readonly service: DeliveryService;
  /** Among those of its service and UETR, from 1; of an event the stageVersion. */
  readonly place: number;
  readonly operation: BankOperation;
}

export type PhaseName = "warm-up" | "A" | "B" | "C";

export interface PlannedPhase {
  readonly name: PhaseName;
  readonly forMs: number;
  readonly messages: readonly PlannedMessage[];
}

export interface DeliveryPlan {
  readonly banks: readonly PlannedBank[];
  readonly phases: readonly PlannedPhase[];
  /** From the beginning of C; a service is not killed again before it has delivered something. */
  readonly killsAtMs: Readonly<Record<DeliveryService, readonly number[]>>;
  /** Between further kills, where C takes longer than it should. */
  readonly killEveryMs: number;
  /** #5, once for each service; null: not in so short a trial. */
  readonly freeze: PlannedFreeze | null;
  /** All is healed when so many messages are appended. */
  readonly healsAfterMessages: number;
  /** No answers that make a message wait for minutes. */
  readonly isBrief: boolean;
}

export interface PlannedFreeze {
  /** Of that service. */
  readonly afterKills: number;
  readonly frozenMs: number;
  /** Beside the one that took over, before it is killed. */
  readonly thawedMs: number;
}

export const messagesPerUetr = 5;
const briefMessagesMax = 20_000;
const tempers: readonly (readonly [Temper, number])[] = [
  ["healthy", 14],
  ["refusing", 1],
  ["black hole", 1],
  ["slow", 2],
  ["hostile", 1],
  ["throttling", 1],
];
const branchFirst = 250_600;
const uetrsUnderWay = 100;
const shares = { warmUp: 0.02, measured: 0.06 } as const;
/** Of phase C, at most; the machine decides what it can take. */
const messagesPerSecond = 450;
const cMsMin = 14_000;
const measuredMs = { min: 2_500, max: 40_000 } as const;
const warmUpMs = { min: 1_000, max: 10_000 } as const;
/** Twice so near each other only, for between kills there must be time for a session to end (6 s) and for a start. */
const killEveryMs = { brief: 8_000, long: 20_000 } as const;
const killsFromMs = 1_000;
const killJitterMs = 3_000;
/** Ten sessions; and time to join again and share lanes. */
const freeze: PlannedFreeze = { afterKills: 2, frozenMs: 60_000, thawedMs: 10_000 };
const healsAtShare = 0.85;
const dispatches = ["outboundDirectDebitResponse", "inboundDirectDebit", "outboundDirectDebitResponse"] as const;
const letters = ["A", "D", "Y"] as const;

export function planDeliveries(seed: number, messages: number): DeliveryPlan {
  const random = seededRandom(`delivery ${seed}`);
  const banks = plannedBanks();
  const healthy = banks.filter(({ temper }) => temper === "healthy");
  const troubled = banks.filter(({ temper }) => temper !== "healthy");
  const uetrs = Math.ceil(messages / messagesPerUetr);
  const [warmUp, measured] = [Math.ceil(uetrs * shares.warmUp), Math.ceil(uetrs * shares.measured)];
  const beside = Math.ceil((measured * troubled.length) / healthy.length);
  const isBrief = messages < briefMessagesMax;
  const bringing = (count: number, to: readonly PlannedBank[]): readonly PlannedMessage[][] =>
    Array.from({ length: Math.max(0, count) }, (_, index) => chainOf(to[index % to.length]?.id ?? "", random));
  const phases: readonly PlannedPhase[] = [
    { name: "warm-up", forMs: within(warmUpMs, messages / 10), messages: mixed(bringing(warmUp, healthy), random) },
    { name: "A", forMs: within(measuredMs, messages * 0.4), messages: mixed(bringing(measured, healthy), random) },
    {
      name: "B",
      forMs: within(measuredMs, messages * 0.4),
      messages: mixed([...bringing(measured, healthy), ...bringing(beside, troubled)], random),
    },
    phaseC(mixed(bringing(uetrs - warmUp - 2 * measured - beside, banks), random)),
  ];
  const cMs = phases.at(-1)?.forMs ?? 0;
  const isShort = cMs < 2 * killEveryMs.long;
  const everyMs = isShort ? killEveryMs.brief : killEveryMs.long;
  const kills = isShort ? 2 : Math.floor(cMs / everyMs);
  const total = phases.reduce((sum, { messages: { length } }) => sum + length, 0);
  const killTimes = (): readonly number[] =>
    Array.from({ length: kills }, (_, index) =>
      Math.round(killsFromMs + index * everyMs + random.fraction() * (isShort ? 0 : killJitterMs)),
    );
  return {
    banks,
    phases,
    killsAtMs: { dispatcher: killTimes(), "event-publisher": killTimes() },
    killEveryMs: killEveryMs.long,
    freeze: isBrief ? null : freeze,
    healsAfterMessages: Math.round(total - (1 - healsAtShare) * (phases.at(-1)?.messages.length ?? 0)),
    isBrief,
  };
}

function phaseC(messages: readonly PlannedMessage[]): PlannedPhase {
  return { name: "C", forMs: Math.max(cMsMin, Math.ceil((messages.length / messagesPerSecond) * 1_000)), messages };
}

function plannedBanks(): readonly PlannedBank[] {
  return tempers
    .flatMap(([temper, count]) =>
      Array.from({ length: count }, (_, index) => ({ temper, id: `${temper.replace(" ", "")}${String(index + 1).padStart(2, "0")}` })),
    )
    .map((bank, index) => ({ ...bank, branch: String(branchFirst + index) }));
}

/** #1 */
function chainOf(bank: string, random: Random): PlannedMessage[] {
  const uetr = uetrFrom(random);
  const dispatched = random.fraction() < 0.5 ? 2 : 3;
  const ofDispatcher = dispatches.slice(0, dispatched).map((operation, index): PlannedMessage => {
    const id = `${uetr.replaceAll("-", "")}${letters[index] ?? ""}`;
    return { id, uetr, bank, service: "dispatcher", place: index + 1, operation };
  });
  const ofPublisher = Array.from({ length: messagesPerUetr - dispatched }, (_, index): PlannedMessage => {
    const place = index + 1;
    return { id: eventId(uetr, place, sha256), uetr, bank, service: "event-publisher", place, operation: "events" };
  });
  return [...ofDispatcher, ...ofPublisher];
}

/** #2 */
function mixed(chains: readonly PlannedMessage[][], random: Random): readonly PlannedMessage[] {
  const waiting = chains.map((chain) => chain.toReversed()).toReversed();
  const open: PlannedMessage[][] = [];
  const messages: PlannedMessage[] = [];
  for (;;) {
    while (open.length < uetrsUnderWay && waiting.length > 0) open.push(waiting.pop() ?? []);
    if (open.length === 0) return messages;
    const index = Math.floor(random.fraction() * open.length);
    const message = open[index]?.pop();
    if (message === undefined) open.splice(index, 1);
    else messages.push(message);
  }
}

function within({ min, max }: { readonly min: number; readonly max: number }, value: number): number {
  return Math.min(max, Math.max(min, Math.round(value)));
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
