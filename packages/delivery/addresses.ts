// Where a message goes: the path of each operation below a receiver's base address, or an address of its own.

import type { Party } from "@sluice/config";
import type { Operation } from "./port.ts";

/** A bank or a scheme connector. Only a bank may have an address for events. */
export type Receiver = Party & { readonly eventsUrl?: string | null };

const paths: Readonly<Record<Exclude<Operation, "events">, string>> = {
  outboundDirectDebitResponse: "/outbound/direct-debit-response",
  inboundDirectDebit: "/inbound/direct-debit",
  inboundDirectDebitResponse: "/inbound/direct-debit-response",
  inboundCreditTransferAuthorization: "/inbound/credit-transfer-authorisation",
  inboundCreditTransferAuthorizationResponse: "/inbound/credit-transfer-authorisation-response",
};

/** All that a receiver may be asked, its base address first. */
export const operations: readonly Operation[] = [...namesOf(paths), "events"];

/** An operation as a record names it; null where this reader does not know it. */
export function operationNamed(name: string): Exclude<Operation, "events"> | null {
  return isOperation(name) ? name : null;
}

function namesOf<K extends string>(record: Readonly<Record<K, string>>): readonly K[] {
  return Object.keys(record).filter((name): name is K => Object.hasOwn(record, name));
}

function isOperation(name: string): name is keyof typeof paths {
  return Object.hasOwn(paths, name);
}

/** Where an operation of a receiver goes. */
export interface Address {
  readonly url: URL;
  readonly origin: string;
  /** With its query. */
  readonly path: string;
  /** Without it: as people read it. */
  readonly text: string;
}

const known = new WeakMap<Receiver, Map<Operation, Address | null>>();

/** Null: the receiver has no such address. Of a receiver and operation always the same object. */
export function addressOf(receiver: Receiver, operation: Operation): Address | null {
  const ofReceiver = known.get(receiver) ?? new Map<Operation, Address | null>();
  const address = ofReceiver.get(operation);
  if (address !== undefined) return address;
  known.set(receiver, ofReceiver);
  const url = madeUrl(receiver, operation);
  const made =
    url === null ? null : { url, origin: url.origin, path: `${url.pathname}${url.search}`, text: `${url.origin}${url.pathname}` };
  ofReceiver.set(operation, made);
  return made;
}

function madeUrl(receiver: Receiver, operation: Operation): URL | null {
  if (operation !== "events") return new URL(receiver.operationUrls[operation] ?? `${receiver.baseUrl}${paths[operation]}`);
  const { eventsUrl = null } = receiver;
  return eventsUrl === null ? null : new URL(`${eventsUrl}/events`);
}
