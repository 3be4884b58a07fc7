// Plays a planned day against running services, until it is over.
//
// #1 Debits and credits are posted at a pace, some at planned times after the opening, each until it is answered 202.
//    Then the clock does the rest.
// #2 The day is over when its reconciliation is done and three checks, half a second apart, find no problem; or when
//    the time limit is reached, and then the remaining problems are the result.
// #3 An operator opens the gate that stays closed. After the close operators resolve what is left, and the day is
//    checked again. Debits that missed the window do not hold that up: they are one problem of the day.
// #4 One bank is down for a while (`outage.ts`). On a slow machine the closes are extended (`slow-close.ts`).
// #5 A service is killed once, in the middle of its work: ingress and validator while debits come in, the others while
//    debits go out.

import { type Day, dayKey } from "@sluice/domain";
import { assert, sleep } from "@sluice/kernel";
import type { Store } from "@sluice/store";
import type { BankSimulator, ConnectorSimulator, MemoryRecorder, SendResult } from "@sluice/testkit";
import { checkDay, type DayEvidence } from "../check/day.ts";
import { describeLate, findLate } from "../check/late.ts";
import { checkOutage } from "../check/outage.ts";
import type { DemoDay, DemoTransaction, DemoTimes } from "../plan/day.ts";
import { loadDocuments, timeIn } from "@sluice/environment";
import { shortUetr } from "../narrator.ts";
import { openGateAsOperator, resolveItems, type OperatorsPorts } from "./operators.ts";
import { playOutage, type Outage } from "./outage.ts";
import { extendWhileSlow } from "./slow-close.ts";
import { postsPerSecond } from "../plan/pace.ts";

export interface PlayPorts extends OperatorsPorts {
  readonly banks: ReadonlyMap<string, BankSimulator>;
  readonly connector: ConnectorSimulator;
  readonly recorded: MemoryRecorder;
  readonly store: Store;
  /** Kills a service and starts it again after a second; null for no kill. */
  readonly kill: { readonly service: string; carryOut(): Promise<void> } | null;
  /** Whether the closes are extended while debits of the day are not through; left out: they are not. */
  readonly isCloseExtended?: boolean;
  /** Whether the caller kills services during the day. */
  readonly isDisturbed?: boolean;
}

export interface PlayEnd {
  readonly evidence: DayEvidence;
  readonly problems: readonly string[];
  /** The outage as it was observed; null if it was not played. */
  readonly outage: Outage | null;
  /** The times of the day, with extensions. */
  readonly times: DemoTimes;
}

const watchIntervalMs = 500;
const declaredAfterMs = 1_500;
/** Time limit after the planned reconciliation. */
const settleLimitMs = 40_000;

export async function playDay(given: PlayPorts): Promise<PlayEnd> {
  // They move with each extension of the closes.
  const times = { ...given.times };
  const ports = { ...given, times };
  const { narrator, day, signal } = ports;
  const over = new AbortController();
  const watching = watchDay(ports, AbortSignal.any([signal, over.signal]));
  const killing = killOnce(ports, AbortSignal.any([signal, over.signal]));
  const outing = playOutage({ ...ports, signal: AbortSignal.any([signal, over.signal]) });
  try {
    narrator.act("Banks and clearing house send; Sluice checks and holds");
    narrator.say("banks", `and connector post ${day.transactions.length} debits and credits`);
    const [opens, closes, reconciles] = [times.opensAtMs, times.closesAtMs, times.reconciliationAtMs].map((atMs) =>
      formatTime(times, atMs),
    );
    narrator.say("day", `window ${opens} to ${closes}, reconciliation ${reconciles} (UTC${times.zone})`);
    narrator.awaits("the window opens", times.opensAtMs);
    const extending = ports.isCloseExtended === true ? extendWhileSlow(ports, times) : [];
    const [refused, later, outage, notExtended] = await Promise.all([postAndDeclare(ports), postLater(ports), outing, extending]);
    const closed = await untilSettled(ports, false);
    const unresolved = closed.problems.length > 0 || signal.aborted ? [] : await resolveItems(ports);
    const end = closed.problems.length > 0 || signal.aborted ? closed : await untilSettled(ports, true);
    await killing;
    return {
      evidence: end.evidence,
      outage,
      times,
      problems: [
        ...refused,
        ...notExtended,
        ...later,
        ...unresolved,
        ...describeLate(findLate(end.evidence, times.businessDate), times.businessDate),
        ...end.problems,
        ...checkOutage(ports.recorded.requests, outage, ports.kill === null && ports.isDisturbed !== true),
      ],
    };
  } finally {
    over.abort();
    await Promise.allSettled([watching, killing, outing]);
  }
}

async function postAndDeclare(ports: PlayPorts): Promise<readonly string[]> {
  return [...(await postAll(ports)), ...(await declareCreditsFinal(ports)), ...(await openGateAsOperator(ports))];
}

/** Posts the transactions that are planned after the opening. */
async function postLater(ports: PlayPorts): Promise<readonly string[]> {
  const { day, time, times, signal } = ports;
  const posting = day.transactions.flatMap((transaction) =>
    transaction.afterOpeningMs === null
      ? []
      : [
          sleep(time, Math.max(0, times.opensAtMs + transaction.afterOpeningMs - time.nowMs()), signal).then(() =>
            signal.aborted ? null : post(ports, transaction),
          ),
        ],
  );
  return (await Promise.all(posting)).filter((problem) => problem !== null);
}

async function postAll(ports: PlayPorts): Promise<readonly string[]> {
  const posting: Promise<string | null>[] = [];
  for (const transaction of firstPosted(ports.day)) {
    if (ports.signal.aborted) break;
    posting.push(post(ports, transaction));
    await sleep(ports.time, 1_000 / postsPerSecond, ports.signal);
  }
  const problems = (await Promise.all(posting)).filter((problem) => problem !== null);
  ports.narrator.say("banks", problems.length === 0 ? "all answered 202" : `${problems.length} were not accepted`);
  return problems;
}

function firstPosted({ transactions }: DemoDay): readonly DemoTransaction[] {
  return transactions.filter(({ afterOpeningMs }) => afterOpeningMs === null);
}

async function post(ports: PlayPorts, transaction: DemoTransaction): Promise<string | null> {
  const { bank, uetr, posts } = transaction;
  for (let count = 1; count <= posts; count += 1) {
    const { status, body } = await send(ports, transaction);
    if (count === 2) ports.narrator.say(bank, `${shortUetr(uetr)} posted a second time: ${status}`);
    if (status !== 202) return `${bank} ${uetr}: was answered ${status ?? "nothing"} ${new TextDecoder().decode(body)}`;
  }
  return null;
}

function send({ banks, connector }: PlayPorts, { flow, bank, message }: DemoTransaction): Promise<SendResult> {
  if (flow === "credit") return connector.sendCredit(message);
  if (flow === "off-us") return connector.sendDebit(message);
  const own = banks.get(bank);
  assert(own !== undefined, "every debit is of a planned bank");
  return own.sendDebit(message);
}

/** Declares credits final after the opening, so that the gate is visibly closed while the window is open. */
async function declareCreditsFinal({ connector, times, time, narrator, signal }: PlayPorts): Promise<readonly string[]> {
  await sleep(time, Math.max(0, times.opensAtMs + declaredAfterMs - time.nowMs()), signal);
  if (signal.aborted) return [];
  narrator.say(connector.connectorId, `declares the credits of ${times.businessDate} final`);
  const { status, body } = await connector.declareCreditsFinal({ businessDate: times.businessDate });
  return status === 202 ? [] : [`credits were declared final: answered ${status ?? "nothing"} ${new TextDecoder().decode(body)}`];
}

/** Narrates the business day from the store. */
async function watchDay({ store, times, narrator, time }: PlayPorts, signal: AbortSignal): Promise<void> {
  const key = dayKey("ZA_EFT", times.businessDate);
  const said = new Set<string>();
  while (!signal.aborted) {
    // The store may be busy or away for a moment; the next round asks again.
    const day = (await store.days.load([key]).catch(() => new Map<string, Day>())).get(key);
    for (const news of day === undefined ? [] : describeDay(day, times)) {
      if (said.has(news.text)) continue;
      said.add(news.text);
      if (news.act !== undefined) narrator.act(news.act);
      narrator.say("day", news.text);
      if (news.awaits !== undefined) narrator.awaits(...news.awaits);
    }
    await sleep(time, watchIntervalMs, signal);
  }
}

interface DayNews {
  readonly text: string;
  readonly act?: string;
  /** What comes next, and when. */
  readonly awaits?: readonly [string, number];
}

function describeDay(day: Day, times: DemoTimes): readonly DayNews[] {
  const closes = ["the window closes", times.closesAtMs] as const;
  const reconciles = ["the day is reconciled", times.reconciliationAtMs] as const;
  return [
    { text: `${day.plan.businessDate} is planned, calendar ${day.plan.calendarVersion}` },
    ...day.opened.map((): DayNews => ({
      text: "the window is open, and every gate closed",
      act: "The window opens; the gate is closed until credits are final",
      awaits: closes,
    })),
    ...day.declarations.map((): DayNews => ({ text: "credits are declared final" })),
    ...(day.isGateOpen
      ? [{ text: "gates open, but for banks with an unresolved credit", act: "The gate opens: debits go to their banks", awaits: closes }]
      : []),
    ...day.closed.map((): DayNews => ({
      text: "the window is closed",
      act: "The close: what is unresolved becomes a list",
      awaits: reconciles,
    })),
    ...(day.reconciledAtMs === null ? [] : [{ text: "the day is reconciled" }]),
  ];
}

/** #2. `isResolved` means that operators have resolved the list. */
async function untilSettled(ports: PlayPorts, isResolved: boolean): Promise<Pick<PlayEnd, "evidence" | "problems">> {
  const { time, times, signal } = ports;
  await sleep(time, Math.max(0, times.reconciliationAtMs - time.nowMs()), signal);
  const deadlineMs = Math.max(times.reconciliationAtMs, time.nowMs()) + settleLimitMs;
  let goodLooks = 0;
  for (;;) {
    const evidence = await gather(ports);
    const problems = checkDay(evidence, isResolved, findLate(evidence, times.businessDate));
    goodLooks = problems.length === 0 ? goodLooks + 1 : 0;
    if (goodLooks === 3 || signal.aborted || time.nowMs() > deadlineMs) return { evidence, problems };
    await sleep(time, watchIntervalMs, signal);
  }
}

async function gather({ day, store, recorded }: PlayPorts): Promise<DayEvidence> {
  const documents = await loadDocuments(
    store.transactions,
    day.transactions.map(({ uetr }) => uetr),
  );
  const snapshots = new Map([...documents].map(([uetr, { transaction }]) => [uetr, transaction]));
  return { day, snapshots, requests: recorded.requests };
}

async function killOnce({ kill, day, recorded, narrator, time }: PlayPorts, signal: AbortSignal): Promise<void> {
  if (kill === null) return;
  const isIncoming = kill.service === "ingress" || kill.service === "validator";
  const share = isIncoming ? 0.4 : 0.25;
  const operation = isIncoming ? "outboundDirectDebit" : "inboundDirectDebit";
  const wanted = Math.max(1, Math.floor(firstPosted(day).length * share));
  while (!signal.aborted && recorded.requests.filter(({ entry }) => entry.operation === operation).length < wanted) {
    await sleep(time, 20, signal);
  }
  if (signal.aborted) return;
  narrator.say(kill.service, "SIGKILL");
  await kill.carryOut();
  narrator.say(kill.service, "is up again");
}

function formatTime(times: DemoTimes, atMs: number): string {
  return timeIn(times.zone, atMs);
}
