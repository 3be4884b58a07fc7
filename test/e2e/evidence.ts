// What a test asks of a world: snapshots, and what banks and the connector were sent.

import type { Transaction } from "@sluice/domain";
import { connectorServedPaths, bankServedPaths, bankCallPaths, connectorCallPaths } from "@sluice/testkit";
import type { BankOperation, JsonObject, RecordedRequest } from "@sluice/testkit";
import { createDocumentCheck } from "@sluice/documents/check";
import { expect, vi } from "vitest";
import { connectorId } from "./world.ts";
import type { World } from "./world.ts";

const untilTimeoutMs = 60_000;
const intervalMs = 50;

/** Waits until the assertions hold; rejects with the last that did not. */
export async function until<T>(look: () => T | Promise<T>, timeoutMs = untilTimeoutMs): Promise<T> {
  return await vi.waitFor(look, { timeout: timeoutMs, interval: intervalMs });
}

export async function transactionOf({ store }: World, uetr: string): Promise<Transaction> {
  const found = (await store.transactions.load([uetr])).get(uetr)?.transaction;
  if (found === undefined) throw new Error(`${uetr} is not in the store`);
  return found;
}

export async function untilState(world: World, uetr: string, state: string): Promise<Transaction> {
  return await until(async () => {
    const transaction = await transactionOf(world, uetr);
    expect([uetr, transaction.state]).toEqual([uetr, state]);
    return transaction;
  });
}

export function statesOf({ transitions }: Transaction): readonly string[] {
  return transitions.map(({ state }) => state);
}

/** Kinds of the remarks that name a message. */
export function remarksOn({ remarks }: Transaction, messageIdentification: string): readonly string[] {
  return remarks.last.filter((remark) => remark.messageIdentification === messageIdentification).map(({ kind }) => kind);
}

export interface Received {
  readonly webhookId: string;
  readonly status: number | null;
  readonly bodyHash: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly message: Body;
}

/** A body as plain JSON, to be looked into. */
export type Body = Readonly<Record<string, unknown>>;

/** What one party was sent about a transaction, first to last. */
export function receivedBy({ recorded }: World, party: string, operation: BankOperation, uetr: string): readonly Received[] {
  return recorded.requests.flatMap(({ entry, body, headers }) => {
    if (entry.kind !== "received" || entry.bank !== party || entry.operation !== operation || entry.uetr !== uetr) return [];
    const text = new TextDecoder().decode(body);
    const message: Body = JSON.parse(text);
    return [{ webhookId: entry.webhookId, status: entry.status, bodyHash: entry.bodyHash, headers, text, message }];
  });
}

/** Whether anything of an operation reached a party. */
export function wasSent({ recorded }: World, party: string, operation: BankOperation): boolean {
  return recorded.receivedEntries().some((entry) => entry.bank === party && entry.operation === operation);
}

/** What does not fit the published document, of everything that was sent and received. */
export function documentComplaints({ recorded }: World): { readonly looked: number; readonly complaints: readonly string[] } {
  const check = createDocumentCheck();
  const complaints = recorded.requests.flatMap((request) => complaintsOf(check, request));
  return { looked: recorded.requests.length, complaints: [...new Set(complaints)] };
}

function complaintsOf(check: ReturnType<typeof createDocumentCheck>, { entry, body, headers }: RecordedRequest): readonly string[] {
  const isConnector = entry.bank === connectorId;
  if (entry.kind === "sent") {
    // Operators have a document of their own.
    if (entry.operation === "operatorAction") return [];
    const path = (isConnector ? connectorCallPaths : bankCallPaths)[entry.operation] ?? "";
    return check.served({ method: "POST", path, body, status: entry.status });
  }
  const served = Object.entries(isConnector ? connectorServedPaths : bankServedPaths);
  const [path = ""] = served.find(([, operation]) => operation === entry.operation) ?? [];
  return check.delivered({ receiver: isConnector ? "connector" : "bank", path, body, headers, status: entry.status });
}

/** A body whose numbers are kept as they were written, to compare what was sent with what arrived. */
export function canonical(text: string): Body {
  const body: Body = JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" ? `number ${context?.source}` : value,
  );
  return body;
}

export function without(message: JsonObject | Body, ...members: readonly string[]): Body {
  return Object.fromEntries(Object.entries(message).filter(([name]) => !members.includes(name)));
}
