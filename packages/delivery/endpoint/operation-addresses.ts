// Resolves where a message goes: the path of its operation below the receiver's base URL, or a URL of its own.

import type { ConfiguredParty } from "@sluice/config";
import type { Operation } from "../port.ts";

/** A bank or a scheme connector. Only a bank may have a URL for events. */
export type DeliveryReceiver = ConfiguredParty & { readonly eventsUrl?: string | null };

const paths: Readonly<Record<Exclude<Operation, "events">, string>> = {
  outboundDirectDebitResponse: "/outbound/direct-debit-response",
  inboundDirectDebit: "/inbound/direct-debit",
  inboundDirectDebitResponse: "/inbound/direct-debit-response",
  inboundCreditTransferAuthorization: "/inbound/credit-transfer-authorisation",
  inboundCreditTransferAuthorizationResponse: "/inbound/credit-transfer-authorisation-response",
};

/** All operations of a receiver; the first one is at its base URL. */
export const deliveryOperations: readonly Operation[] = [...listNames(paths), "events"];

/** The operation of a stored name; null where there is none, or this version does not know it. */
export function findOperation(name: string | null): Operation | null {
  return deliveryOperations.find((operation) => operation === name) ?? null;
}

/** Parses the operation that a record names; null where this version does not know it. */
export function parseOperation(name: string): Exclude<Operation, "events"> | null {
  return isOperation(name) ? name : null;
}

function listNames<K extends string>(record: Readonly<Record<K, string>>): readonly K[] {
  return Object.keys(record).filter((name): name is K => Object.hasOwn(record, name));
}

function isOperation(name: string): name is keyof typeof paths {
  return Object.hasOwn(paths, name);
}

/** The address of one operation of a receiver. */
export interface OperationAddress {
  readonly url: URL;
  readonly origin: string;
  /** The path with its query. */
  readonly path: string;
  /** The URL without its query, for people. */
  readonly text: string;
}

const cache = new WeakMap<DeliveryReceiver, Map<Operation, OperationAddress | null>>();

/** Null where the receiver has no such address. Returns the same object each time for one receiver and operation. */
export function findOperationAddress(receiver: DeliveryReceiver, operation: Operation): OperationAddress | null {
  const byOperation = cache.get(receiver) ?? new Map<Operation, OperationAddress | null>();
  const address = byOperation.get(operation);
  if (address !== undefined) return address;
  cache.set(receiver, byOperation);
  const url = buildUrl(receiver, operation);
  const made =
    url === null ? null : { url, origin: url.origin, path: `${url.pathname}${url.search}`, text: `${url.origin}${url.pathname}` };
  byOperation.set(operation, made);
  return made;
}

function buildUrl(receiver: DeliveryReceiver, operation: Operation): URL | null {
  if (operation !== "events") return new URL(receiver.operationUrls[operation] ?? `${receiver.baseUrl}${paths[operation]}`);
  const { eventsUrl = null } = receiver;
  return eventsUrl === null ? null : new URL(`${eventsUrl}/events`);
}
