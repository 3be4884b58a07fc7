// Plans a delivery trial as data: banks and their profiles, messages in the order in which they are appended, and the
// kills. The plan is a function of the seed and the number of messages.
//
// #1 Each UETR has five messages, all for one bank: two or three dispatches, the rest events. Those of one service must
//    leave in the order of `place`.
// #2 Messages of many UETRs are interleaved, as in a real topic.
// #3 There are four phases. The warm-up and phase A bring traffic for the healthy banks alone. Phase B brings the same
//    traffic and, at the same time, traffic for the others. Phase C brings the rest to all banks and has all the kills.
// #4 Both services are killed at least twice, in long trials about every 20 s, until C is over. All banks are healed
//    shortly before that.
// #5 In a trial with many receivers one bank takes all but some messages: those it answers with 500 for ever. Of
//    another one the name server is silent about its name. What they never take comes in phase B, and each stands last
//    in its UETR.
// #6 In long trials each service is frozen once for a minute while another process takes over, and thawed while that
//    one still runs.

import { sha256Hex } from "@sluice/contracts";
import { eventId } from "@sluice/domain";
import type { Random } from "@sluice/kernel";
import { type DeliveredOperation, drawUetr, seededRandom } from "@sluice/testkit";

export type BankProfile = "healthy" | "refusing" | "black hole" | "slow" | "hostile" | "throttling" | "choosy" | "nameless" | "away";
export type DeliveryService = "dispatcher" | "event-publisher";

export interface PlannedBank {
  readonly id: string;
  readonly branch: string;
  readonly profile: BankProfile;
}

export interface TrialMessage {
  /** The `webhook-id` of its requests. */
  readonly id: string;
  readonly uetr: string;
  readonly bank: string;
  readonly service: DeliveryService;
  /** Number among the messages of its service and UETR, from 1; of an event its stage version. */
  readonly place: number;
  readonly operation: DeliveredOperation;
  /** #5. Set for a message that its bank never takes. */
  readonly isNeverTaken?: true;
}

export type PhaseName = "warm-up" | "A" | "B" | "C";

export interface PlannedPhase {
  readonly name: PhaseName;
  readonly forMs: number;
  readonly messages: readonly TrialMessage[];
}

export interface DeliveryPlan {
  readonly banks: readonly PlannedBank[];
  readonly phases: readonly PlannedPhase[];
  /** Milliseconds from the beginning of C. A service is not killed again before it has delivered something. */
  readonly killsAtMs: Readonly<Record<DeliveryService, readonly number[]>>;
  /** Milliseconds between further kills if C takes longer than planned. */
  readonly killEveryMs: number;
  /** #6; null in a short trial. */
  readonly freeze: PlannedFreeze | null;
  /** All banks are healed when this many messages are appended. */
  readonly healsAfterMessages: number;
  /** Whether the banks avoid answers after which a message waits for minutes. */
  readonly isBrief: boolean;
}

export interface PlannedFreeze {
  /** Number of kills of the service that come first. */
  readonly afterKills: number;
  readonly frozenMs: number;
  /** Milliseconds that it runs with the process that took over, before it is killed. */
  readonly thawedMs: number;
}

export const messagesPerUetr = 5;
const briefMessagesMax = 20_000;
const receiversDefault = 20;
type ProfileCounts = readonly (readonly [BankProfile, number])[];
const profileCounts: ProfileCounts = [
  ["healthy", 14],
  ["refusing", 1],
  ["black hole", 1],
  ["slow", 2],
  ["hostile", 1],
  ["throttling", 1],
];
/** Shares of many receivers; the others are healthy. */
const troubledShares: ProfileCounts = [
  ["refusing", 0.02],
  ["black hole", 0.02],
  ["slow", 0.03],
  ["hostile", 0.01],
  ["throttling", 0.02],
];
/** Messages to the bank about whose name the name server is silent. */
const namelessMessages = 10;
const branchFirst = 250_600;
const uetrsUnderWay = 100;
const shares = { warmUp: 0.02, measured: 0.06 } as const;
/** Pace of phase C at most; a slow machine takes less. */
const messagesPerSecond = 450;
const cMsMin = 14_000;
const measuredMs = { min: 2_500, max: 40_000 } as const;
const warmUpMs = { min: 1_000, max: 10_000 } as const;
/**
 * The brief interval occurs only once a trial, because a session must end (6 s) and a process must start between kills.
 */
const killEveryMs = { brief: 8_000, long: 20_000 } as const;
const killsFromMs = 1_000;
const killJitterMs = 3_000;
/** Frozen for ten sessions; thawed long enough to join the group again and share its partitions. */
const freeze: PlannedFreeze = { afterKills: 2, frozenMs: 60_000, thawedMs: 10_000 };
const healsAtShare = 0.85;
const dispatches = ["outboundDirectDebitResponse", "inboundDirectDebit", "outboundDirectDebitResponse"] as const;
const letters = ["A", "D", "Y"] as const;

export interface PlanSizes {
  readonly messages: number;
  /** 20 or more. */
  readonly receivers: number;
  /** Messages that one bank answers with 500 for ever. */
  readonly poison: number;
}

export function planDeliveries(seed: number, { messages, receivers, poison }: PlanSizes): DeliveryPlan {
  const random = seededRandom(`delivery ${seed}`);
  const banks = plannedBanks(receivers, poison);
  const healthy = banks.filter(({ profile }) => profile === "healthy");
  const troubled = banks.filter(({ profile }) => profile !== "healthy" && profile !== "nameless");
  const reached = banks.filter(({ profile }) => profile !== "nameless");
  const uetrs = Math.ceil(messages / messagesPerUetr);
  const [warmUp, measured] = [Math.ceil(uetrs * shares.warmUp), Math.ceil(uetrs * shares.measured)];
  const troubledUetrs = Math.ceil((measured * troubled.length) / healthy.length);
  const isBrief = messages < briefMessagesMax;
  const planChains = (count: number, to: readonly PlannedBank[]): readonly TrialMessage[][] =>
    Array.from({ length: Math.max(0, count) }, (_, index) => planChain(to[index % to.length]?.id ?? "", random));
  const phases: readonly PlannedPhase[] = [
    { name: "warm-up", forMs: clamp(warmUpMs, messages / 10), messages: interleave(planChains(warmUp, healthy), random) },
    { name: "A", forMs: clamp(measuredMs, messages * 0.4), messages: interleave(planChains(measured, healthy), random) },
    {
      name: "B",
      forMs: clamp(measuredMs, messages * 0.4),
      messages: interleave(
        [...planChains(measured, healthy), ...planChains(troubledUetrs, troubled), ...planNeverTaken(banks, poison, random)],
        random,
      ),
    },
    phaseC(interleave(planChains(uetrs - warmUp - 2 * measured - troubledUetrs, reached), random)),
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

function phaseC(messages: readonly TrialMessage[]): PlannedPhase {
  return { name: "C", forMs: Math.max(cMsMin, Math.ceil((messages.length / messagesPerSecond) * 1_000)), messages };
}

function plannedBanks(receivers: number, poison: number): readonly PlannedBank[] {
  return countProfiles(receivers, poison)
    .flatMap(([profile, count]) =>
      Array.from({ length: count }, (_, index) => ({ profile, id: `${profile.replace(" ", "")}${String(index + 1).padStart(2, "0")}` })),
    )
    .map((bank, index) => ({ ...bank, branch: String(branchFirst + index) }));
}

/** #5 */
function countProfiles(receivers: number, poison: number): ProfileCounts {
  if (receivers === receiversDefault && poison === 0) return profileCounts;
  const troubled: ProfileCounts = [
    ...troubledShares.map(([profile, share]) => [profile, Math.ceil(share * receivers)] as const),
    ["choosy", poison > 0 ? 1 : 0],
    ["nameless", 1],
  ];
  const others = troubled.reduce((sum, [, count]) => sum + count, 0);
  return [["healthy", receivers - others], ...troubled];
}

/** #5. Every other failing message stands behind one that is taken. */
function planNeverTaken(banks: readonly PlannedBank[], poison: number, random: Random): readonly TrialMessage[][] {
  const find = (profile: BankProfile): string | undefined => banks.find((bank) => bank.profile === profile)?.id;
  const [choosy, nameless] = [find("choosy"), find("nameless")];
  return [
    ...Array.from({ length: choosy === undefined ? 0 : poison }, (_, index) => planFailingChain(choosy ?? "", index % 2, random)),
    ...Array.from({ length: nameless === undefined ? 0 : namelessMessages }, () => planFailingChain(nameless ?? "", 0, random)),
  ];
}

function planFailingChain(bank: string, takenBefore: number, random: Random): TrialMessage[] {
  const chain = planDispatches(bank, takenBefore + 1, drawUetr(random));
  return chain.map((message, index) => (index === takenBefore ? { ...message, isNeverTaken: true } : message));
}

/** #1 */
function planChain(bank: string, random: Random): TrialMessage[] {
  const uetr = drawUetr(random);
  const dispatched = random.fraction() < 0.5 ? 2 : 3;
  const ofPublisher = Array.from({ length: messagesPerUetr - dispatched }, (_, index): TrialMessage => {
    const place = index + 1;
    return { id: eventId(uetr, place, sha256Hex), uetr, bank, service: "event-publisher", place, operation: "events" };
  });
  return [...planDispatches(bank, dispatched, uetr), ...ofPublisher];
}

function planDispatches(bank: string, count: number, uetr: string): TrialMessage[] {
  return dispatches.slice(0, count).map((operation, index): TrialMessage => {
    const id = `${uetr.replaceAll("-", "")}${letters[index] ?? ""}`;
    return { id, uetr, bank, service: "dispatcher", place: index + 1, operation };
  });
}

/** #2 */
function interleave(chains: readonly TrialMessage[][], random: Random): readonly TrialMessage[] {
  const waiting = chains.map((chain) => chain.toReversed()).toReversed();
  const open: TrialMessage[][] = [];
  const messages: TrialMessage[] = [];
  for (;;) {
    while (open.length < uetrsUnderWay && waiting.length > 0) open.push(waiting.pop() ?? []);
    if (open.length === 0) return messages;
    const index = Math.floor(random.fraction() * open.length);
    const message = open[index]?.pop();
    if (message === undefined) open.splice(index, 1);
    else messages.push(message);
  }
}

function clamp({ min, max }: { readonly min: number; readonly max: number }, value: number): number {
  return Math.min(max, Math.max(min, Math.round(value)));
}
