// Checks the endpoints of a receiver when an operator asks for it: one call without a message to each, by OPTIONS.
//
// #1 A request that is older than a minute, such as one that is read again after a restart, is passed over: nobody
//    waits for it any more.
// #2 A check is no attempt: it needs no slot, moves no breaker, and is made also while the receiver is paused or its
//    breaker is open.
// #3 The newest check of an endpoint is a part of its health, and is written with it. The newest ten are kept. While
//    the store is away a check is in the log alone: nothing waits for it.

import type { EndpointCheckRequested } from "@sluice/contracts";
import type { EngineContext } from "../context.ts";
import type { Operation } from "../port.ts";
import type { Endpoint } from "./endpoint.ts";
import { findOperationAddress } from "./operation-addresses.ts";

/** #1 */
const requestKeptMs = 60_000;
const idCharacters = 64;

export async function checkEndpoints(
  context: EngineContext,
  { action, bank }: EndpointCheckRequested,
  appendedAtMs: number,
  operations: readonly Operation[],
): Promise<void> {
  const receiver = context.receiver(bank);
  if (receiver === null || context.brokerClock.nowMs() - appendedAtMs > requestKeptMs) return;
  const byOrigin = new Map<string, Operation>();
  for (const operation of operations) {
    const origin = findOperationAddress(receiver, operation)?.origin;
    if (origin !== undefined && !byOrigin.has(origin)) byOrigin.set(origin, operation);
  }
  const endpoints = context.endpoints.forReceiver(bank);
  await Promise.all(
    [...byOrigin].map(async ([origin, operation]) => {
      const endpoint = endpoints.find((one) => one.origin === origin);
      if (endpoint !== undefined) await checkEndpoint(context, endpoint, operation, { ...action, timeoutMs: receiver.answerTimeoutMs });
    }),
  );
}

interface Check {
  readonly id: string;
  readonly operator: string;
  readonly timeoutMs: number;
}

async function checkEndpoint(
  context: EngineContext,
  endpoint: Endpoint,
  operation: Operation,
  { id, operator, timeoutMs }: Check,
): Promise<void> {
  const { time, gateway, logger } = context;
  const startMs = time.monotonicMs();
  const headers = {
    "webhook-id": `check-${id}`.slice(0, idCharacters),
    "webhook-timestamp": String(Math.floor(time.nowMs() / 1_000)),
  };
  const answer = (await gateway.check?.({ receiverId: endpoint.receiverId, operation, headers, timeoutMs })) ?? {
    kind: "silent" as const,
    reason: "not-supported",
  };
  const check = {
    action: id,
    atMs: context.brokerClock.nowMs(),
    tookMs: Math.round(time.monotonicMs() - startMs),
    httpStatusCode: answer.kind === "answered" ? answer.status : null,
    reason: answer.kind === "answered" ? null : answer.reason,
  };
  logger.info("endpoint.checked", { ...endpoint.labels, ...check });
  await context.endpoints.recordCheck(endpoint, { ...check, operator });
}
