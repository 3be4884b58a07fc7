// A run: the dispatcher's processes in the test environment of `packages/delivery`, their inputs, and the record of
// what they do.
//
// #1 An attempt is checked at the moment in which it begins, by the records that its process had been handed by then.

import { sampleBank, seededRandom } from "@sluice/testkit";
import { topics } from "@sluice/contracts";
import type { ReceiverAnswer, ReceiverRequest, DeliveryBounds } from "@sluice/delivery";
import {
  createDeliveryTestEnvironment,
  deliverySerde,
  deliveryStartMs,
  type DeliveryTestPorts,
  type ReceivedRequest,
  type ScriptedAnswer,
} from "@sluice/delivery/delivery-environment";
import { startDispatcher } from "@sluice/dispatcher";
import type { EndpointHealth } from "@sluice/store";
import { recordAnswer, otherOrigin, recordResume } from "./endpoints.ts";
import { noInputs } from "./inputs.ts";
import { expectDrain } from "./laws-of-endpoints.ts";
import { type AttemptLaw, endpointAt, endpointForMessage, type ModelEnvironment, type ModelRun } from "./model-run.ts";
import { currentLease, findAttempts, interpretAnswer, nothingRecorded, type RecordedAttempt } from "./recorded.ts";
import { modelBanks, type BankAnswerKind, type ModelSettings } from "./steps.ts";

/**
 * Bounds with which a bank's backlog page holds four messages, and a buffer sixteen records, of which a bank may have
 * two.
 */
const smallBounds: Partial<DeliveryBounds> = {
  untriedInMemoryMax: 64,
  bufferedRecordsMax: 16,
  scanMessagesMax: 3,
  takeOverMessagesMax: 6,
  scanArrivalsMax: 2,
  recentEndsMax: 8,
  bulkMessagesMax: 3,
};
/** The number of idle receivers that share a partition's memory. */
const idleBanks = 12;

export function createRun(settings: ModelSettings, laws: readonly AttemptLaw[]): ModelRun {
  const { seed, partitionCount, isSmall } = settings;
  const recorded = nothingRecorded();
  const idle = Array.from({ length: isSmall ? idleBanks : 0 }, (_, index) => sampleBank({ id: `idle${index}` }));
  const environment: ModelEnvironment = createDeliveryTestEnvironment({
    seed,
    partitionCount,
    bounds: isSmall ? smallBounds : {},
    banks: [...modelBanks.map(buildBank), ...idle],
    start: async (ports) => startDispatcher(instrument(run, laws, ports)),
  });
  let causes = 0n;
  const run: ModelRun = {
    settings,
    environment,
    inputs: noInputs(),
    recorded,
    processes: [],
    answers: new Map(),
    calmFromMs: 0,
    lagsMs: new Map(),
    startedAtMs: new Map(),
    crashing: new Set(),
    isDisturbed: false,
    endpoints: new Map(),
    expectations: [],
    quietFromMs: 0,
    random: seededRandom(`faults ${seed}`),
    nowMs: () => deliveryStartMs + environment.time.monotonicMs(),
    nextCause: () => (causes += 1n),
  };
  environment.answers((request) => chooseReply(run, request));
  environment.hooks.log.observe = (client, operation, key) => observe(run, client, operation, key);
  return run;
}

/** Builds a bank: the first has few connections, the third two endpoints. */
function buildBank(id: string) {
  if (id === "first") return sampleBank({ id, connections: 2 });
  if (id === "second") return sampleBank({ id });
  return sampleBank({ id, operationUrls: { outboundDirectDebitResponse: `${otherOrigin}/reports` } });
}

function observe(run: ModelRun, client: string, operation: string, key: string): void {
  const place = new RegExp(`^${topics.dispatch}/(\\d+)(?:@(\\d+))?$`).exec(key);
  if (place === null) return;
  const partition = Number(place[1]);
  const { recorded, environment } = run;
  if (operation === "assigned") {
    for (const lease of recorded.leases) if (lease.partition === partition) lease.hasEnded = true;
    const logEnd = BigInt(environment.broker.records({ topic: topics.dispatch, partition }).length);
    recorded.leases.push({ process: client, partition, fromMs: run.nowMs(), logEnd, handedAtMs: new Map(), starts: [], hasEnded: false });
    return;
  }
  const lease = currentLease(recorded, partition);
  if (lease === null || lease.process !== client) return;
  if (operation === "revoked") lease.hasEnded = true;
  if (operation !== "record") return;
  const offset = BigInt(place[2] ?? "0");
  lease.handedAtMs.set(offset, run.nowMs());
  const resumed = run.inputs.pauses.find(
    ({ isPause, places }) => !isPause && places.some((at) => at.partition === partition && at.offset === offset),
  );
  if (resumed !== undefined) recordResumes(run, client, resumed);
}

function recordResumes(
  run: ModelRun,
  process: string,
  { bank, requestedAtMs }: { readonly bank: string; readonly requestedAtMs: number },
): void {
  for (const endpoint of run.endpoints.values()) {
    if (endpoint.process === process && endpoint.bank === bank) recordResume(endpoint, requestedAtMs, run.nowMs());
  }
}

function instrument(run: ModelRun, laws: readonly AttemptLaw[], ports: DeliveryTestPorts): DeliveryTestPorts {
  const { partitions, endpointHealth } = ports.store;
  return {
    ...ports,
    gateway: { ...ports.gateway, post: (request) => post(run, laws, ports, request) },
    store: {
      ...ports.store,
      endpointHealth: {
        ...endpointHealth,
        async all(service) {
          const known = await endpointHealth.all(service);
          for (const health of known) restoreEndpoint(run, ports.name, health);
          return known;
        },
      },
      partitions: {
        ...partitions,
        async takeOver(service, partition) {
          const document = await partitions.takeOver(service, partition);
          const lease = currentLease(run.recorded, partition);
          if (lease?.process === ports.name) lease.starts.push({ position: document.position, atMs: run.nowMs() });
          // The pauses in this document may have ended meanwhile.
          for (const { bank } of run.inputs.pauses) recordResumes(run, ports.name, { bank, requestedAtMs: 0 });
          return document;
        },
      },
    },
  };
}

/** Applies what a process reads about an endpoint when it starts. */
function restoreEndpoint(run: ModelRun, process: string, { receiverId, origin, breaker, retryAfterUntilMs }: EndpointHealth): void {
  const endpoint = endpointAt(run, process, receiverId, origin);
  endpoint.retryAfterUntilMs = (retryAfterUntilMs ?? 0) - restoredLagMs;
  endpoint.retryAfterMayLastUntilMs = retryAfterUntilMs ?? 0;
  if (breaker === null) return;
  const { reason } = breaker;
  endpoint.open = { sinceMs: breaker.sinceMs, reason: reason === "address" || reason === "refused" ? reason : "transient" };
  endpoint.probeDueAtMs = run.nowMs();
}

/** Milliseconds by which the broker clocks of two processes may differ. */
const restoredLagMs = 50;

/** #1 */
async function post(
  run: ModelRun,
  laws: readonly AttemptLaw[],
  { gateway, name }: DeliveryTestPorts,
  request: ReceiverRequest,
): Promise<ReceiverAnswer> {
  const { received: deliveries } = run.environment;
  const count = deliveries.length;
  const pendingAnswer = gateway.post(request);
  const received = deliveries.length > count ? deliveries.at(-1) : undefined;
  if (received === undefined) return await pendingAnswer;
  const attempt = buildAttempt(run, name, received);
  if (attempt === null) {
    run.recorded.violations.push(`I2: ${received.id} was sent to ${received.receiverId}, and no input has it`);
    return await pendingAnswer;
  }
  run.recorded.attempts.push(attempt);
  run.recorded.byId.set(received.id, [...(run.recorded.byId.get(received.id) ?? []), attempt]);
  const endpoint = endpointForMessage(run, name, attempt.message);
  endpoint.running += 1;
  for (const law of laws) run.recorded.violations.push(...law(run, attempt));
  const answer = await pendingAnswer;
  const nowMs = run.nowMs();
  endpoint.running -= 1;
  attempt.result = { answer, atMs: nowMs };
  const failedBefore = findAttempts(run.recorded, received.id).length - 1;
  const meaning = interpretAnswer(attempt) ?? "either";
  const hasClosed = recordAnswer(endpoint, { meaning, uetr: attempt.message.uetr, failedBefore, answer, nowMs });
  if (hasClosed) expectDrain(run, endpoint);
  return answer;
}

function buildAttempt(run: ModelRun, process: string, received: ReceivedRequest): RecordedAttempt | null {
  const message = run.inputs.byId.get(received.id);
  if (message === undefined) return null;
  const lease = currentLease(run.recorded, message.partition);
  const { "webhook-timestamp": _at, ...headers } = received.headers;
  return {
    message,
    process,
    lease: lease?.process === process ? lease : null,
    number: received.attempt,
    atMs: run.nowMs(),
    body: received.body,
    headers: JSON.stringify({ bank: received.receiverId, operation: received.operation, ...headers }),
    received,
    result: null,
  };
}

const replies: Readonly<Record<Exclude<BankAnswerKind, "odd 503">, ScriptedAnswer>> = {
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

function chooseReply({ answers, inputs }: ModelRun, { receiverId, id, attempt }: ReceivedRequest): ScriptedAnswer {
  const uetr = inputs.byId.get(id)?.uetr ?? "";
  const how = answers.get(`${receiverId} ${uetr}`) ?? answers.get(receiverId) ?? "202";
  if (how === "odd 503") return attempt % 2 === 1 ? 503 : 202;
  return replies[how];
}

/** Reads the records that were appended since the last read. */
export function readAppended(run: ModelRun): void {
  const { recorded } = run;
  for (const { name, value, appendedAtMs } of newRecords(run, topics.journal))
    if (name === "DeliveryEnded") recorded.facts.push({ value, atMs: appendedAtMs });
  for (const { name, value, appendedAtMs } of newRecords(run, topics.receipts))
    if (name === "Receipt") recorded.receipts.push({ value, atMs: appendedAtMs });
}

function newRecords({ environment, settings, recorded }: ModelRun, topic: string) {
  return Array.from({ length: settings.partitionCount }, (_, partition) => {
    const records = environment.broker.records({ topic, partition });
    const place = `${topic}/${partition}`;
    const unread = records.slice(recorded.recordsRead.get(place) ?? 0);
    recorded.recordsRead.set(place, records.length);
    return unread.flatMap(({ value, appendedAtMs }) => (value === null ? [] : [{ ...deliverySerde.decode(value), appendedAtMs }]));
  }).flat();
}
