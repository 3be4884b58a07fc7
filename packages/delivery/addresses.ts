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

const knownUrls = new WeakMap<Receiver, Map<Operation, URL | null>>();

/** Null: the receiver has no such address. Of a receiver and operation always the same object, not to be changed. */
export function urlOf(receiver: Receiver, operation: Operation): URL | null {
  const known = knownUrls.get(receiver) ?? new Map<Operation, URL | null>();
  knownUrls.set(receiver, known);
  const url = known.get(operation);
  if (url !== undefined) return url;
  const made = madeUrl(receiver, operation);
  known.set(operation, made);
  return made;
}

function madeUrl(receiver: Receiver, operation: Operation): URL | null {
  if (operation !== "events") return new URL(receiver.operationUrls[operation] ?? `${receiver.baseUrl}${paths[operation]}`);
  const { eventsUrl = null } = receiver;
  return eventsUrl === null ? null : new URL(`${eventsUrl}/events`);
}
