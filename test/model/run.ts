// A run: the dispatcher's processes in the small world of `packages/delivery`, what they were given, and what is seen of them.
//
// #1 An attempt is judged in the moment in which it begins, by what its process had been handed by then.

import type { Random } from "@sluice/runtime";
import { sampleBank, seededRandom } from "@sluice/testkit";
import { topics } from "@sluice/contracts";
import type { BankAnswer, BankRequest, DeliveryBounds } from "@sluice/delivery";
import { createWorld, serde, startAtMs, type Ports, type Process, type Received, type Reply } from "@sluice/delivery/delivery-world";
import { startDispatcher } from "@sluice/dispatcher";
import type { AddressStanding } from "@sluice/store";
import { answered, newAddress, originOf, otherOrigin, recalled, type Address } from "./addresses.ts";
import { nothingGiven, type Given, type Message } from "./given.ts";
import { expectDrain, type Expectation } from "./laws-of-addresses.ts";
import { holderOf, meaningOf, nothingSeen, type Attempt, type Seen } from "./seen.ts";
import { banks, type Answer, type Settings } from "./steps.ts";

export type World = ReturnType<typeof createWorld>;

export interface Run {
  readonly settings: Settings;
  readonly world: World;
  readonly given: Given;
  readonly seen: Seen;
  readonly processes: Process[];
  /** How a bank answers, by its id, or by its id and a UETR. */
  readonly answers: Map<string, Answer>;
  /** When the last trouble of processes, store or log is over and forgotten. */
  calmFromMs: number;
  /** By how much the agreed time of a process may lag: its first sight of the log's clock came so late. */
  readonly lagsMs: Map<string, number>;
  readonly startedAtMs: Map<string, number>;
  /** Names of processes that are to end at a port call to come. */
  readonly crashing: Set<string>;
  /** Something came between whose traces cannot be told from outside: a process that died, stood still or lost a lane. */
  isDisturbed: boolean;
  /** By process, bank and origin: what it should know. */
  readonly addresses: Map<string, Address>;
  readonly expectations: Expectation[];
  /** When a marker of a bank or day was given last, or the end of a pause, with time to take it in. */
  quietFromMs: number;
  /** Of faults alone. */
  readonly random: Random;
  nowMs(): number;
  nextCause(): bigint;
}

export type AttemptLaw = (run: Run, attempt: Attempt) => readonly string[];

/** A page of a bank holds four of its messages, a buffer sixteen records, of which a bank may have two. */
const smallBounds: Partial<DeliveryBounds> = {
  pageMessagesMax: 64,
  bufferedRecordsMax: 16,
  scanMessagesMax: 3,
  takeOverMessagesMax: 6,
  scanLateMax: 2,
  recentEndsMax: 8,
  bulkMessagesMax: 3,
};
/** So many receivers share what a lane may have in memory. */
const idleBanks = 12;

export function createRun(settings: Settings, laws: readonly AttemptLaw[]): Run {
  const { seed, lanes, isSmall } = settings;
  const seen = nothingSeen();
  const idle = Array.from({ length: isSmall ? idleBanks : 0 }, (_, index) => sampleBank({ id: `idle${index}` }));
  const world: World = createWorld({
    seed,
    lanes,
    bounds: isSmall ? smallBounds : {},
    banks: [...banks.map(bankOf), ...idle],
    start: async (ports) => startDispatcher(watched(run, laws, ports)),
  });
  let causes = 0n;
  const run: Run = {
    settings,
    world,
    given: nothingGiven(),
    seen,
    processes: [],
    answers: new Map(),
    calmFromMs: 0,
    lagsMs: new Map(),
    startedAtMs: new Map(),
    crashing: new Set(),
    isDisturbed: false,
    addresses: new Map(),
    expectations: [],
    quietFromMs: 0,
    random: seededRandom(`faults ${seed}`),
    nowMs: () => startAtMs + world.time.monotonicMs(),
    nextCause: () => (causes += 1n),
  };
  world.answers((request) => replyOf(run, request));
  world.hooks.log.observe = (client, operation, key) => observe(run, client, operation, key);
  return run;
}

/** One with few connections, one with two addresses. */
function bankOf(id: string) {
  if (id === "first") return sampleBank({ id, connections: 2 });
  if (id === "second") return sampleBank({ id });
  return sampleBank({ id, operationUrls: { outboundDirectDebitResponse: `${otherOrigin}/reports` } });
}

function observe(run: Run, client: string, operation: string, key: string): void {
  const place = new RegExp(`^${topics.dispatch}/(\\d+)(?:@(\\d+))?$`).exec(key);
  if (place === null) return;
  const lane = Number(place[1]);
  const { seen, world } = run;
  if (operation === "assigned") {
    for (const tenure of seen.tenures) if (tenure.lane === lane) tenure.isOver = true;
    const logEnd = BigInt(world.log.records({ topic: topics.dispatch, partition: lane }).length);
    seen.tenures.push({ process: client, lane, fromMs: run.nowMs(), logEnd, handed: new Map(), starts: [], isOver: false });
    return;
  }
  const tenure = holderOf(seen, lane);
  if (tenure === null || tenure.process !== client) return;
  if (operation === "revoked") tenure.isOver = true;
  if (operation !== "record") return;
  const offset = BigInt(place[2] ?? "0");
  tenure.handed.set(offset, run.nowMs());
  const resumed = run.given.pauses.find(({ isPause, places }) => !isPause && places.some((at) => at.lane === lane && at.offset === offset));
  if (resumed !== undefined) recall(run, client, resumed);
}

function recall(run: Run, process: string, { bank, saidAtMs }: { readonly bank: string; readonly saidAtMs: number }): void {
  for (const address of run.addresses.values()) {
    if (address.process === process && address.bank === bank) recalled(address, saidAtMs, run.nowMs());
  }
}

export function addressOf(run: Run, process: string, message: Pick<Message, "bank" | "operation">): Address {
  return addressAt(run, process, message.bank, originOf(message));
}

function addressAt(run: Run, process: string, bank: string, origin: string): Address {
  const place = `${process} ${bank} ${origin}`;
  const known = run.addresses.get(place) ?? newAddress(process, bank, origin);
  run.addresses.set(place, known);
  // A maintenance that ended by itself was as good as a resume.
  const endedAtMs = Math.max(
    0,
    ...run.given.pauses.map((pause) => (pause.bank === bank ? (pause.untilMs ?? 0) : 0)).filter((ms) => ms <= run.nowMs()),
  );
  if (endedAtMs > known.gatedAtMs) known.gateUntilMs = known.gateMayStandUntilMs = 0;
  known.recalledAtMs = Math.max(known.recalledAtMs, endedAtMs);
  return known;
}

/** Nothing is in the way of any process. */
export function isCalm(run: Run): boolean {
  return run.crashing.size === 0 && run.processes.some((process) => process.isAlive()) && run.calmFromMs <= run.nowMs();
}

function watched(run: Run, laws: readonly AttemptLaw[], ports: Ports): Ports {
  const { lanes, addresses } = ports.store;
  return {
    ...ports,
    gateway: { ...ports.gateway, post: (request) => post(run, laws, ports, request) },
    store: {
      ...ports.store,
      addresses: {
        ...addresses,
        async all(service) {
          const standings = await addresses.all(service);
          for (const standing of standings) restore(run, ports.name, standing);
          return standings;
        },
      },
      lanes: {
        ...lanes,
        async takeOver(service, partition) {
          const document = await lanes.takeOver(service, partition);
          const tenure = holderOf(run.seen, partition);
          if (tenure?.process === ports.name) tenure.starts.push({ position: document.position, atMs: run.nowMs() });
          // What it says of pauses may have ended meanwhile.
          for (const { bank } of run.given.pauses) recall(run, ports.name, { bank, saidAtMs: 0 });
          return document;
        },
      },
    },
  };
}

/** A process starts with what was known of an address before it. */
function restore(run: Run, process: string, { bank, address: origin, breaker, gateUntilMs }: AddressStanding): void {
  const address = addressAt(run, process, bank, origin);
  address.gateUntilMs = (gateUntilMs ?? 0) - restoredLagMs;
  address.gateMayStandUntilMs = gateUntilMs ?? 0;
  if (breaker === null) return;
  const { reason } = breaker;
  address.open = { sinceMs: breaker.sinceMs, reason: reason === "address" || reason === "refused" ? reason : "transient" };
  address.recalledAtMs = run.nowMs();
}

/** Agreed time of two processes. */
const restoredLagMs = 50;

/** #1 */
async function post(run: Run, laws: readonly AttemptLaw[], { gateway, name }: Ports, request: BankRequest): Promise<BankAnswer> {
  const { received } = run.world;
  const count = received.length;
  const answering = gateway.post(request);
  const arrived = received.length > count ? received.at(-1) : undefined;
  if (arrived === undefined) return await answering;
  const attempt = attemptOf(run, name, arrived);
  if (attempt === null) {
    run.seen.violations.push(`I2: ${arrived.id} was sent to ${arrived.bank}, and nobody asked for it`);
    return await answering;
  }
  run.seen.attempts.push(attempt);
  run.seen.byId.set(arrived.id, [...(run.seen.byId.get(arrived.id) ?? []), attempt]);
  const address = addressOf(run, name, attempt.message);
  address.running += 1;
  for (const law of laws) run.seen.violations.push(...law(run, attempt));
  const answer = await answering;
  const nowMs = run.nowMs();
  address.running -= 1;
  attempt.learnt = { answer, atMs: nowMs };
  const hasClosed = answered(address, { meaning: meaningOf(attempt) ?? "either", uetr: attempt.message.uetr, answer, nowMs });
  if (hasClosed) expectDrain(run, address);
  return answer;
}

function attemptOf(run: Run, process: string, arrived: Received): Attempt | null {
  const message = run.given.byId.get(arrived.id);
  if (message === undefined) return null;
  const tenure = holderOf(run.seen, message.lane);
  const { "webhook-timestamp": _at, ...headers } = arrived.headers;
  return {
    message,
    process,
    tenure: tenure?.process === process ? tenure : null,
    number: arrived.attempt,
    atMs: run.nowMs(),
    body: arrived.body,
    headers: JSON.stringify({ bank: arrived.bank, operation: arrived.operation, ...headers }),
    arrived,
    learnt: null,
  };
}

const replies: Readonly<Record<Exclude<Answer, "odd 503">, Reply>> = {
  "202": 202,
  "500": 500,
  "503": 503,
  "503 for 30 s": { status: 503, retryAfter: "30" },
  "429": 429,
  "429 for 2 s": { status: 429, retryAfter: "2" },
  "429 for 900 s": { status: 429, retryAfter: "900" },
  "404": 404,
  "200": 200,
  "422": 422,
  "409": 409,
  silent: "silent",
  slow: { status: 202, afterMs: 2_500 },
  "slow 503": { status: 503, afterMs: 2_500 },
};

function replyOf({ answers, given }: Run, { bank, id, attempt }: Received): Reply {
  const uetr = given.byId.get(id)?.uetr ?? "";
  const how = answers.get(`${bank} ${uetr}`) ?? answers.get(bank) ?? "202";
  if (how === "odd 503") return attempt % 2 === 1 ? 503 : 202;
  return replies[how];
}

/** Reads what was appended since it was read last. */
export function look(run: Run): void {
  const { seen } = run;
  for (const { name, value, appendedAtMs } of newRecords(run, topics.journal))
    if (name === "DeliveryEnded") seen.facts.push({ value, atMs: appendedAtMs });
  for (const { name, value, appendedAtMs } of newRecords(run, topics.receipts))
    if (name === "Receipt") seen.receipts.push({ value, atMs: appendedAtMs });
}

function newRecords({ world, settings, seen }: Run, topic: string) {
  return Array.from({ length: settings.lanes }, (_, partition) => {
    const records = world.log.records({ topic, partition });
    const place = `${topic}/${partition}`;
    const unread = records.slice(seen.read.get(place) ?? 0);
    seen.read.set(place, records.length);
    return unread.flatMap(({ value, appendedAtMs }) => (value === null ? [] : [{ ...serde.decode(value), appendedAtMs }]));
  }).flat();
}
