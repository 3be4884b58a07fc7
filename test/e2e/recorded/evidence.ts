// Reads what a test examines: snapshots of the store, and the requests that banks and the connector received.

import type { Transaction } from "@sluice/domain";
import {
  bankCallPaths,
  bankServedPaths,
  connectorCallPaths,
  connectorServedPaths,
  type DeliveredOperation,
  type MessageObject,
  type RecordedRequest,
} from "@sluice/testkit";
import { createDocumentCheck } from "@sluice/documents/check";
import { expect, vi } from "vitest";
import { clearingConnectorId, type E2eEnvironment } from "../environment/environment.ts";

const untilTimeoutMs = 60_000;
const intervalMs = 50;

/** Waits until the assertions hold. Rejects with the last failure. */
export async function untilHolds<T>(look: () => T | Promise<T>, timeoutMs = untilTimeoutMs): Promise<T> {
  return await vi.waitFor(look, { timeout: timeoutMs, interval: intervalMs });
}

export async function loadTransaction({ store }: Pick<E2eEnvironment, "store">, uetr: string): Promise<Transaction> {
  const found = (await store.transactions.load([uetr])).get(uetr)?.transaction;
  if (found === undefined) throw new Error(`${uetr} is not in the store`);
  return found;
}

/** What a second person is shown of the proposed resolution of a transaction's item. */
export async function findProposal(
  environment: E2eEnvironment,
  uetr: string,
): Promise<{ readonly offset: string; readonly contentSha256: string }> {
  const { items } = await loadTransaction(environment, uetr);
  const proposal = items.find(({ resolution }) => resolution?.isFinal === false)?.resolution ?? null;
  if (proposal === null) throw new Error(`nothing is proposed on ${uetr}`);
  return { offset: String(proposal.offset), contentSha256: proposal.action.contentSha256 };
}

export async function untilState(environment: Pick<E2eEnvironment, "store">, uetr: string, state: string): Promise<Transaction> {
  return await untilHolds(async () => {
    const transaction = await loadTransaction(environment, uetr);
    expect([uetr, transaction.state]).toEqual([uetr, state]);
    return transaction;
  });
}

export function enteredStates({ transitions }: Transaction): readonly string[] {
  return transitions.map(({ state }) => state);
}

/** Returns the kinds of the observations that name a message. */
export function observationKinds({ observations }: Transaction, messageIdentification: string): readonly string[] {
  return observations.last.filter((observation) => observation.messageIdentification === messageIdentification).map(({ kind }) => kind);
}

export interface RecordedMessage {
  readonly webhookId: string;
  readonly status: number | null;
  readonly bodyHash: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly message: JsonBody;
}

/** A body as plain JSON. */
export type JsonBody = Readonly<Record<string, unknown>>;

/** Finds the requests that one party received about a transaction, first to last. */
export function findReceived(
  { recorded }: E2eEnvironment,
  party: string,
  operation: DeliveredOperation,
  uetr: string,
): readonly RecordedMessage[] {
  return recorded.requests.flatMap(({ entry, body, headers }) => {
    if (entry.kind !== "received" || entry.bank !== party || entry.operation !== operation || entry.uetr !== uetr) return [];
    const text = new TextDecoder().decode(body);
    const message: JsonBody = JSON.parse(text);
    return [{ webhookId: entry.webhookId, status: entry.status, bodyHash: entry.bodyHash, headers, text, message }];
  });
}

/** True if a request of the operation reached the party. */
export function wasSent({ recorded }: E2eEnvironment, party: string, operation: DeliveredOperation): boolean {
  return recorded.receivedEntries().some((entry) => entry.bank === party && entry.operation === operation);
}

/** Finds what the published document does not describe in everything that was sent and received. */
export function findDocumentViolations({ recorded }: E2eEnvironment): { readonly looked: number; readonly complaints: readonly string[] } {
  const check = createDocumentCheck();
  const complaints = recorded.requests.flatMap((request) => findViolations(check, request));
  return { looked: recorded.requests.length, complaints: [...new Set(complaints)] };
}

function findViolations(check: ReturnType<typeof createDocumentCheck>, { entry, body, headers }: RecordedRequest): readonly string[] {
  const isConnector = entry.bank === clearingConnectorId;
  if (entry.kind === "sent") {
    // The control API of operators has a document of its own.
    if (entry.operation === "operatorAction") return [];
    const path = (isConnector ? connectorCallPaths : bankCallPaths)[entry.operation] ?? "";
    return check.checkServed({ method: "POST", path, body, status: entry.status });
  }
  const served = Object.entries(isConnector ? connectorServedPaths : bankServedPaths);
  const [path = ""] = served.find(([, operation]) => operation === entry.operation) ?? [];
  return check.checkDelivered({ receiver: isConnector ? "connector" : "bank", path, body, headers, status: entry.status });
}

/** Parses a body and keeps the digits of its numbers, to compare a sent body with a received one. */
export function parseKeepingDigits(text: string): JsonBody {
  const body: JsonBody = JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" ? `number ${context?.source}` : value,
  );
  return body;
}

export function omitMembers(message: MessageObject | JsonBody, ...members: readonly string[]): JsonBody {
  return Object.fromEntries(Object.entries(message).filter(([name]) => !members.includes(name)));
}
