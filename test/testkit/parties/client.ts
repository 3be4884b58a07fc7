// Sends messages as a bank or a connector does: it repeats the same bytes until it gets a final answer
// (docs/spec/decisions.md D3.4 to D3.8).
//
// #1 After no answer within 1 s, a 5xx or a 429 it sends the same message again, up to 3 times, with starts 1 s apart.
// #2 After that it waits as long as `Retry-After` asks (1 s to 15 min), or 60 s (`slowRepeatMs`), until
//    `giveUpAfterMs`.
// #3 Every other answer is final. Every attempt is recorded, in the order in which the attempts ended.
// #4 At most `inFlightMax` attempts are under way at a time. The timeout of a waiting attempt starts when it is sent.

import { createHash } from "node:crypto";
import type { MessageOperation } from "@sluice/checker";
import { assert, sleep, type Time } from "@sluice/kernel";
import type { PartyRecorder } from "./recorder.ts";
import { encodeBody, type MessageObject } from "../messages/builders.ts";

export interface TransportRequest {
  readonly operation: MessageOperation;
  /** The path on Sluice. Banks and connectors call operations of the same name at different paths. */
  readonly path: string;
  readonly token: string;
  readonly body: Uint8Array;
}

export interface TransportAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Uint8Array;
}

/** The paths on Sluice of the operations that a bank or a connector may call. */
export type CallPaths = Readonly<Partial<Record<MessageOperation, string>>>;

export const bankCallPaths: CallPaths = {
  outboundDirectDebit: "/transactions/outbound/direct-debit",
  inboundDirectDebitResponse: "/transactions/inbound/direct-debit-response",
  inboundCreditTransferAuthorizationResponse: "/transactions/inbound/credit-transfer-authorisation-response",
  creditsFinal: "/transactions/credits-final",
};

export const connectorCallPaths: CallPaths = {
  inboundDirectDebit: "/scheme/inbound/direct-debit",
  inboundCreditTransferAuthorization: "/scheme/inbound/credit-transfer-authorisation",
  creditsFinal: "/scheme/credits-final",
};

/**
 * Posts requests to Sluice. Resolves with null if no answer comes. Aborting the signal ends the wait for the answer.
 */
export interface PartyTransport {
  post(request: TransportRequest, signal: AbortSignal): Promise<TransportAnswer | null>;
  close(): Promise<void>;
}

export interface SendResult {
  /** The status of the last answer; null if there was none. */
  readonly status: number | null;
  readonly attempts: number;
  /** The body of the last answer. */
  readonly body: Uint8Array;
}

export interface PartyClientPorts {
  readonly time: Time;
  readonly partyId: string;
  readonly token: string;
  readonly paths: CallPaths;
  readonly transport: PartyTransport;
  readonly recorder: PartyRecorder;
  readonly giveUpAfterMs: number;
  /**
   * Milliseconds between repeats if no answer says how long to wait: 60,000 by the retry law, less in a test with a
   * short day.
   */
  readonly slowRepeatMs: number;
}

const answerTimeoutMs = 1_000;
const quickRepeats = 3;
const quickRepeatMs = 1_000;
const retryAfterMaxMs = 900_000;
const attemptsMax = 10_000;
const inFlightMax = 32;
const noBody = new Uint8Array();

export interface PartyClient {
  /** Sends until a final answer comes. After `stop` it returns at once with the last answer. */
  send(operation: MessageOperation, message: MessageObject): Promise<SendResult>;
  stop(): Promise<void>;
}

export function createPartyClient(ports: PartyClientPorts): PartyClient {
  const stopping = new AbortController();
  const slots = createSlots(inFlightMax);

  async function send(operation: MessageOperation, message: MessageObject): Promise<SendResult> {
    const body = encodeBody(message);
    const path = ports.paths[operation];
    assert(path !== undefined, `${ports.partyId} has no address to send ${operation} to`);
    const describe = describeMessage(message);
    const bodyHash = createHash("sha256").update(body).digest("hex");
    const startMs = ports.time.monotonicMs();
    for (let attempts = 1; ; attempts += 1) {
      await slots.acquire();
      const attemptMs = ports.time.monotonicMs();
      const atMs = ports.time.nowMs();
      const answer = await attempt(ports, { operation, path, token: ports.token, body });
      slots.release();
      const status = answer?.status ?? null;
      ports.recorder.sent({ kind: "sent", atMs, bank: ports.partyId, operation, ...describe, bodyHash, status }, body);
      const end: SendResult = { status, attempts, body: answer?.body ?? noBody };
      if (status !== null && status < 500 && status !== 429) return end;
      const nextMs =
        attempts <= quickRepeats ? attemptMs + quickRepeatMs : ports.time.monotonicMs() + slowDelayMs(answer, ports.slowRepeatMs);
      if (nextMs - startMs > ports.giveUpAfterMs || stopping.signal.aborted) return end;
      assert(attempts < attemptsMax, `more than ${attemptsMax} attempts to send one message`);
      await sleep(ports.time, Math.max(0, nextMs - ports.time.monotonicMs()), stopping.signal);
      if (stopping.signal.aborted) return end;
    }
  }

  return {
    send,
    async stop() {
      stopping.abort();
      await ports.transport.close();
    },
  };
}

async function attempt(ports: PartyClientPorts, request: TransportRequest): Promise<TransportAnswer | null> {
  const timeout = new AbortController();
  const timedOut = new Promise<null>((resolve) => timeout.signal.addEventListener("abort", () => resolve(null), { once: true }));
  using _timer = ports.time.after(answerTimeoutMs, () => timeout.abort());
  return await Promise.race([ports.transport.post(request, timeout.signal), timedOut]);
}

/** Creates a semaphore with `count` slots, which are given out in the order of the requests. */
function createSlots(count: number): { acquire(): Promise<void>; release(): void } {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async acquire() {
      if (free === 0) return await new Promise<void>((resolve) => waiting.push(resolve));
      free -= 1;
    },
    release() {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}

function slowDelayMs(answer: TransportAnswer | null, slowRepeatMs: number): number {
  const seconds = Number(answer?.retryAfter ?? Number.NaN);
  if (!Number.isFinite(seconds)) return slowRepeatMs;
  return Math.min(Math.max(seconds * 1_000, quickRepeatMs), retryAfterMaxMs);
}

/**
 * Returns the UETR and the identification under which a history names the message. A declaration is named by its day.
 */
function describeMessage(message: MessageObject): { readonly uetr: string; readonly messageIdentification: string } {
  const scheme = readMessageText(message, "scheme");
  if (scheme !== "") return { uetr: `${scheme}:${readMessageText(message, "businessDate")}`, messageIdentification: "" };
  return {
    uetr: readMessageText(message, "transactionIdentifiers", "uetr").toLowerCase(),
    messageIdentification: readMessageText(message, "messageIdentifiers", "messageIdentification"),
  };
}

/** Returns the text at a path of a message; empty where there is none. */
export function readMessageText(value: unknown, ...path: readonly string[]): string {
  let found = value;
  for (const member of path) found = typeof found === "object" && found !== null ? Reflect.get(found, member) : undefined;
  return typeof found === "string" ? found : "";
}
