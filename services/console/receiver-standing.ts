// How a receiver stands: what holds messages back from it, by what operators decided and by what the dispatcher and the event-publisher have
// learnt of its addresses.
//
// #1 paused and maintenance (a pause with an end) come before breaker-open, that before throttled, that before active. Nothing else holds a
//    receiver, and nothing turns one off by itself.
// #2 What was learnt is advice of the service's process that wrote it last, at most a second old where it changes. Of an address that is not
//    configured any more it says nothing.

import type { Bank, Configuration, Party } from "@sluice/config";
import { isPausedAt, type BankStanding } from "@sluice/domain";
import type { AddressStanding, Store } from "@sluice/store";
import { instantText } from "./answer.ts";
import { secondsUntil, timeText } from "./control-values.ts";

export type ReceiverState = "active" | "throttled" | "breaker-open" | "paused" | "maintenance";

/** A bank or a connector as configured; only a bank has an address for events. */
export type Receiver = Party & Partial<Pick<Bank, "eventsUrl">>;

export interface AddressNow extends Pick<AddressStanding, "service" | "address" | "breaker"> {
  readonly state: Exclude<ReceiverState, "paused" | "maintenance">;
  /** Epoch ms; null: no gate stands now. */
  readonly gateUntilMs: number | null;
  /** How many requests at once it bears, of how many that it may have. */
  readonly concurrency: number;
  readonly connections: number;
}

export interface ReceiverStanding {
  readonly bank: string;
  readonly state: ReceiverState;
  /** When a maintenance ends; null: there is none. */
  readonly untilMs: number | null;
  /** The pause that holds it; null: none does. */
  readonly pause: BankStanding | null;
  readonly addresses: readonly AddressNow[];
}

export interface ReceiverPorts {
  readonly store: Pick<Store, "banks" | "addresses">;
  readonly configuration: Pick<Configuration, "banks" | "connectors">;
}

/** Whoever is configured, and whoever was paused ever. */
export async function receiversNow({ store, configuration }: ReceiverPorts, nowMs: number | null) {
  const [all, learnt] = await Promise.all([store.banks.all(), store.addresses.all(null)]);
  const standings = new Map(all.map((standing) => [standing.bank, standing]));
  const receivers = receiversIn(configuration);
  const of = (bank: string): ReceiverStanding =>
    receiverStanding(bank, { receiver: receivers.get(bank) ?? null, standing: standings.get(bank) ?? null, learnt }, nowMs);
  return { standings, receivers, of };
}

function receiversIn({ banks, connectors }: ReceiverPorts["configuration"]): ReadonlyMap<string, Receiver> {
  return new Map<string, Receiver>([...banks, ...connectors].map((receiver) => [receiver.id, receiver]));
}

/** `nowMs` null: agreed time is not known yet; then every pause and every gate still stands. */
export function receiverStanding(
  bank: string,
  known: { readonly receiver: Receiver | null; readonly standing: BankStanding | null; readonly learnt: readonly AddressStanding[] },
  nowMs: number | null,
): ReceiverStanding {
  const { receiver, standing } = known;
  const addresses = receiver === null ? [] : addressesOf(receiver, known.learnt, nowMs ?? 0);
  const pause = standing !== null && isPausedAt(standing, nowMs ?? 0) ? standing : null;
  const untilMs = pause?.untilMs ?? null;
  return { bank, state: stateOf(pause, addresses), untilMs, pause, addresses };
}

/** #1 */
function stateOf(pause: BankStanding | null, addresses: readonly AddressNow[]): ReceiverState {
  if (pause !== null) return pause.untilMs === null ? "paused" : "maintenance";
  const states = addresses.map(({ state }) => state);
  return (["breaker-open", "throttled"] as const).find((state) => states.includes(state)) ?? "active";
}

function addressesOf(receiver: Receiver, learnt: readonly AddressStanding[], nowMs: number): readonly AddressNow[] {
  const events = receiver.eventsUrl ?? null;
  const configured = [
    ...[receiver.baseUrl, ...Object.values(receiver.operationUrls)].map((url) => ({ service: dispatcher, address: originIn(url) })),
    ...(events === null ? [] : [{ service: eventPublisher, address: originIn(events) }]),
  ];
  const once = new Map(configured.map((one) => [`${one.service} ${one.address}`, one]));
  return [...once.values()].map(({ service, address }) => {
    const found = learnt.find((one) => one.bank === receiver.id && one.service === service && one.address === address);
    return addressNow({ service, address }, found ?? null, receiver.connections, nowMs);
  });
}

function addressNow(
  at: Pick<AddressNow, "service" | "address">,
  found: AddressStanding | null,
  connections: number,
  nowMs: number,
): AddressNow {
  const { breaker = null, gateUntilMs = null } = found ?? {};
  const concurrency = Math.min(found?.concurrency ?? connections, connections);
  const gate = gateUntilMs !== null && gateUntilMs > nowMs ? gateUntilMs : null;
  const isThrottled = gate !== null || concurrency < connections;
  const state = breaker !== null ? "breaker-open" : isThrottled ? "throttled" : "active";
  return { ...at, state, breaker, gateUntilMs: gate, concurrency, connections };
}

const dispatcher = "dispatcher";
const eventPublisher = "event-publisher";

function originIn(url: string): string {
  return new URL(url).origin;
}

/** Where a message goes: a posting to the bank's address for events, a delivery to that of its operation; null: not known. */
export function addressOf(
  receiver: Receiver | null,
  addresses: readonly AddressNow[],
  message: { readonly kind: "delivery" | "posting"; readonly operation: string | null },
): AddressNow | null {
  if (receiver === null) return null;
  const { eventsUrl = null, operationUrls, baseUrl } = receiver;
  const own = new Map(Object.entries(operationUrls)).get(message.operation ?? "");
  const url = message.kind === "posting" ? eventsUrl : (own ?? baseUrl);
  const service = message.kind === "posting" ? eventPublisher : dispatcher;
  return url === null ? null : (addresses.find((one) => one.service === service && one.address === originIn(url)) ?? null);
}

export function addressView({ breaker, gateUntilMs, ...address }: AddressNow, nowMs: number | null) {
  return {
    ...address,
    breaker:
      breaker === null
        ? null
        : { since: instantText(breaker.sinceMs), openForSeconds: secondsSince(breaker.sinceMs, nowMs), reason: breaker.reason },
    gateUntil: timeText(gateUntilMs),
    secondsToGate: secondsUntil(gateUntilMs, nowMs),
  };
}

function secondsSince(atMs: number, nowMs: number | null): number | null {
  return nowMs === null ? null : Math.max(0, Math.round((nowMs - atMs) / 1_000));
}

/** Why nothing, or little, leaves to it: a sentence for each thing that holds it; none: each message is tried by its own back-off. */
export function whyHeld({ pause, untilMs, addresses }: ReceiverStanding): readonly string[] {
  const since = pause?.since ?? null;
  const by = since === null ? "" : ` by ${since.action.operator} since ${instantText(since.atMs)}: ${since.action.reason}`;
  const until = untilMs === null ? "until it is resumed" : `until ${instantText(untilMs)}`;
  const paused = pause === null ? [] : [`Paused${by}. Nothing is sent ${until}.`];
  return [...paused, ...addresses.flatMap(whyAddress)];
}

function whyAddress({ service, address, breaker, gateUntilMs, concurrency, connections }: AddressNow): readonly string[] {
  const where = `${address} (${service})`;
  if (breaker !== null) {
    const what = openedBy[breaker.reason] ?? breaker.reason;
    return [
      `${where}: breaker open since ${instantText(breaker.sinceMs)}, ${what}. One message at a time is tried; the first acknowledgement closes it.`,
    ];
  }
  if (gateUntilMs !== null) return [`${where}: it asked to wait until ${instantText(gateUntilMs)} (Retry-After).`];
  return concurrency < connections ? [`${where}: it bears ${concurrency} of ${connections} requests at once.`] : [];
}

const openedBy: Readonly<Record<string, string>> = {
  transient: "no answers, or ones that may pass (5xx, 408, 425, 429)",
  address: "answers about the address, not the messages (401, 403, 404, redirects, certificates)",
  refused: "it refused one message after the other",
};
