// Finds the status of a receiver: what keeps messages from it, by operators' decisions and by what the dispatcher and
// the event-publisher have learnt about its endpoints.
//
// #1 paused and maintenance (a pause with an end) come before breaker-open, breaker-open before throttled, throttled
//    before active. Nothing else holds messages back, and no receiver is turned off automatically.
// #2 Endpoint health is written by a process of the service, at most a second late when it changes. Health of an
//    endpoint that is no longer configured is ignored.

import type { Bank, Configuration, ConfiguredParty } from "@sluice/config";
import { isPausedAt, type BankState } from "@sluice/domain";
import type { EndpointHealth, Store } from "@sluice/store";
import { formatInstant } from "../http/bank-answer.ts";
import { wholeSecondsUntil, formatOptionalInstant } from "./control-values.ts";

type ReceiverState = "active" | "throttled" | "breaker-open" | "paused" | "maintenance";

/** A bank or connector from the configuration; only a bank has an address for events. */
export type ConfiguredReceiver = ConfiguredParty & Partial<Pick<Bank, "eventsUrl">>;

export interface EndpointStatus extends Pick<EndpointHealth, "service" | "origin" | "breaker" | "check" | "checks"> {
  readonly state: Exclude<ReceiverState, "paused" | "maintenance">;
  /** Epoch milliseconds until which the receiver asked to wait (Retry-After); null: it asks for no wait now. */
  readonly retryAfterUntilMs: number | null;
  /** Requests at once that the endpoint sustains, as learnt. */
  readonly concurrency: number;
  /** Requests at once that the configuration allows. */
  readonly connections: number;
}

export interface ReceiverStatus {
  readonly bank: string;
  readonly state: ReceiverState;
  /** Epoch milliseconds at which a maintenance ends; null: there is none. */
  readonly untilMs: number | null;
  /** State of the bank while it is paused; null: it is not paused. */
  readonly pause: BankState | null;
  readonly endpoints: readonly EndpointStatus[];
}

export interface ReceiverStatusPorts {
  readonly store: Pick<Store, "banks" | "endpointHealth">;
  readonly configuration: Pick<Configuration, "banks" | "connectors">;
}

/** Loads the status of every configured receiver and of every one that was ever paused. */
export async function loadReceiverStatuses({ store, configuration }: ReceiverStatusPorts, nowMs: number | null) {
  const [all, learnt] = await Promise.all([store.banks.all(), store.endpointHealth.all(null)]);
  const bankStates = new Map(all.map((state) => [state.bank, state]));
  const receivers = indexReceivers(configuration);
  const learntByReceiver = Map.groupBy(learnt, ({ receiverId }) => receiverId);
  const of = (bank: string): ReceiverStatus =>
    buildReceiverStatus(
      bank,
      { receiver: receivers.get(bank) ?? null, bankState: bankStates.get(bank) ?? null, learnt: learntByReceiver.get(bank) ?? [] },
      nowMs,
    );
  return { bankStates, receivers, of };
}

function indexReceivers({ banks, connectors }: ReceiverStatusPorts["configuration"]): ReadonlyMap<string, ConfiguredReceiver> {
  return new Map<string, ConfiguredReceiver>([...banks, ...connectors].map((receiver) => [receiver.id, receiver]));
}

/** `nowMs` is null if the broker clock is not known yet: then every pause and every Retry-After is still in force. */
function buildReceiverStatus(
  bank: string,
  known: { readonly receiver: ConfiguredReceiver | null; readonly bankState: BankState | null; readonly learnt: readonly EndpointHealth[] },
  nowMs: number | null,
): ReceiverStatus {
  const { receiver, bankState } = known;
  const endpoints = receiver === null ? [] : listEndpoints(receiver, known.learnt, nowMs ?? 0);
  const pause = bankState !== null && isPausedAt(bankState, nowMs ?? 0) ? bankState : null;
  const untilMs = pause?.untilMs ?? null;
  return { bank, state: combineStates(pause, endpoints), untilMs, pause, endpoints };
}

/** #1 */
function combineStates(pause: BankState | null, endpoints: readonly EndpointStatus[]): ReceiverState {
  if (pause !== null) return pause.untilMs === null ? "paused" : "maintenance";
  const states = endpoints.map(({ state }) => state);
  return (["breaker-open", "throttled"] as const).find((state) => states.includes(state)) ?? "active";
}

/** `learnt` is what is known of this receiver. */
function listEndpoints(receiver: ConfiguredReceiver, learnt: readonly EndpointHealth[], nowMs: number): readonly EndpointStatus[] {
  const events = receiver.eventsUrl ?? null;
  const configured = [
    ...[receiver.baseUrl, ...Object.values(receiver.operationUrls)].map((url) => ({ service: dispatcher, address: parseOrigin(url) })),
    ...(events === null ? [] : [{ service: eventPublisher, address: parseOrigin(events) }]),
  ];
  const once = new Map(configured.map((one) => [`${one.service} ${one.address}`, one]));
  return [...once.values()].map(({ service, address }) => {
    const found = learnt.find((one) => one.service === service && one.origin === address);
    return endpointStatus({ service, origin: address }, found ?? null, receiver.connections, nowMs);
  });
}

function endpointStatus(
  at: Pick<EndpointStatus, "service" | "origin">,
  found: EndpointHealth | null,
  connections: number,
  nowMs: number,
): EndpointStatus {
  const { breaker = null, retryAfterUntilMs: untilMs = null, check = null, checks = [] } = found ?? {};
  const concurrency = Math.min(found?.concurrency ?? connections, connections);
  const retryAfterMs = untilMs !== null && untilMs > nowMs ? untilMs : null;
  const isThrottled = retryAfterMs !== null || concurrency < connections;
  const state = breaker !== null ? "breaker-open" : isThrottled ? "throttled" : "active";
  return { ...at, state, breaker, retryAfterUntilMs: retryAfterMs, concurrency, connections, check, checks };
}

const dispatcher = "dispatcher";
const eventPublisher = "event-publisher";

function parseOrigin(url: string): string {
  return new URL(url).origin;
}

/**
 * The endpoint of a message: of a posting the bank's address for events, of a delivery that of its operation; null: not
 * known.
 */
export function findEndpointStatus(
  receiver: ConfiguredReceiver | null,
  endpoints: readonly EndpointStatus[],
  message: { readonly kind: "delivery" | "posting"; readonly operation: string | null },
): EndpointStatus | null {
  if (receiver === null) return null;
  const { eventsUrl = null, operationUrls, baseUrl } = receiver;
  const own = new Map(Object.entries(operationUrls)).get(message.operation ?? "");
  const url = message.kind === "posting" ? eventsUrl : (own ?? baseUrl);
  const service = message.kind === "posting" ? eventPublisher : dispatcher;
  return url === null ? null : (endpoints.find((one) => one.service === service && one.origin === parseOrigin(url)) ?? null);
}

export function endpointView(
  { origin, breaker, retryAfterUntilMs, check, checks: _checks, ...endpoint }: EndpointStatus,
  nowMs: number | null,
) {
  return {
    ...endpoint,
    address: origin,
    check: check === null ? null : checkView(check),
    breaker:
      breaker === null
        ? null
        : { since: formatInstant(breaker.sinceMs), openForSeconds: secondsSince(breaker.sinceMs, nowMs), reason: breaker.reason },
    retryAfterUntil: formatOptionalInstant(retryAfterUntilMs),
    secondsToRetry: wholeSecondsUntil(retryAfterUntilMs, nowMs),
  };
}

function checkView({ action, atMs, tookMs, httpStatusCode, reason }: NonNullable<EndpointHealth["check"]>) {
  return { action, at: formatInstant(atMs), tookMs, httpStatusCode, reason };
}

function secondsSince(atMs: number, nowMs: number | null): number | null {
  return nowMs === null ? null : Math.max(0, Math.round((nowMs - atMs) / 1_000));
}

/**
 * Why little or nothing is sent to the receiver, one sentence for each reason; no sentence: each message follows its
 * own back-off.
 */
export function explainReceiver({ pause, untilMs, endpoints }: ReceiverStatus): readonly string[] {
  const since = pause?.since ?? null;
  const by = since === null ? "" : ` by ${since.action.operator} since ${formatInstant(since.atMs)}: ${since.action.reason}`;
  const until = untilMs === null ? "until it is resumed" : `until ${formatInstant(untilMs)}`;
  const paused = pause === null ? [] : [`Paused${by}. Nothing is sent ${until}.`];
  return [...paused, ...endpoints.flatMap(explainEndpoint)];
}

function explainEndpoint({ service, origin, breaker, retryAfterUntilMs, concurrency, connections }: EndpointStatus): readonly string[] {
  const where = `${origin} (${service})`;
  if (breaker !== null) {
    const what = openedBy[breaker.reason] ?? breaker.reason;
    return [
      `${where}: breaker open since ${formatInstant(breaker.sinceMs)}, ${what}. One message at a time is tried; the first acknowledgement closes it.`,
    ];
  }
  if (retryAfterUntilMs !== null) return [`${where}: it asked to wait until ${formatInstant(retryAfterUntilMs)} (Retry-After).`];
  return concurrency < connections ? [`${where}: it sustains ${concurrency} of ${connections} requests at once.`] : [];
}

const openedBy: Readonly<Record<string, string>> = {
  transient: "no answers, or ones that may pass (5xx, 408, 425, 429)",
  address: "answers about the address, not the messages (401, 403, 404, redirects, certificates)",
  refused: "it refused one message after the other",
};
