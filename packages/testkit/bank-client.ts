// How a bank or a connector sends: the same bytes again and again until it is told something final. The law is section 3 of the decisions.
//
// #1 No answer within 1 s, or a 5xx or 429: unknown or refused for now, so the same message again, up to 3 times, starts 1 s apart.
// #2 After that as `Retry-After` says (1 s to 15 min), or every 60 s (`slowRepeatMs`), until `giveUpAfterMs`.
// #3 Every other answer is final. Every attempt is recorded, in the order in which the attempts ended.
// #4 At most `inFlightMax` attempts at a time; the others wait their turn, and their second starts when theirs comes.

import { createHash } from "node:crypto";
import type { MessageOperation } from "@sluice/checker";
import { assert, sleep, type Time } from "@sluice/runtime";
import type { BankRecorder } from "./bank-recorder.ts";
import { bodyOf, type JsonObject } from "./builders.ts";

export interface TransportRequest {
  readonly operation: MessageOperation;
  /** Where it goes on Sluice: bank and connector have addresses of their own for what is called the same. */
  readonly path: string;
  readonly token: string;
  readonly body: Uint8Array;
}

export interface TransportAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Uint8Array;
}

/** Addresses on Sluice of what a bank or a connector may send. */
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

/** To Sluice. Null: no answer. Aborted: the answer is not awaited any more. */
export interface BankTransport {
  post(request: TransportRequest, signal: AbortSignal): Promise<TransportAnswer | null>;
  close(): Promise<void>;
}

export interface SendEnd {
  /** Null: given up without an answer. */
  readonly status: number | null;
  readonly attempts: number;
  /** Body of the last answer. */
  readonly body: Uint8Array;
}

export interface BankClientPorts {
  readonly time: Time;
  readonly partyId: string;
  readonly token: string;
  readonly paths: CallPaths;
  readonly transport: BankTransport;
  readonly recorder: BankRecorder;
  readonly giveUpAfterMs: number;
  /** Where nothing says how long to wait: 60,000 by the law; a bank of a short day has less time. */
  readonly slowRepeatMs: number;
}

const answerTimeoutMs = 1_000;
const quickRepeats = 3;
const quickRepeatMs = 1_000;
const retryAfterMaxMs = 900_000;
const attemptsMax = 10_000;
const inFlightMax = 32;
const noBody = new Uint8Array();

export interface BankClient {
  /** Sends until something final is said; of a bank that was stopped, at once with what was last said. */
  send(operation: MessageOperation, message: JsonObject): Promise<SendEnd>;
  stop(): Promise<void>;
}

export function createBankClient(ports: BankClientPorts): BankClient {
  const stopping = new AbortController();
  const turns = createTurns(inFlightMax);

  async function send(operation: MessageOperation, message: JsonObject): Promise<SendEnd> {
    const body = bodyOf(message);
    const path = ports.paths[operation];
    assert(path !== undefined, `${ports.partyId} has no address to send ${operation} to`);
    const describe = describeMessage(message);
    const bodyHash = createHash("sha256").update(body).digest("hex");
    const startMs = ports.time.monotonicMs();
    for (let attempts = 1; ; attempts += 1) {
      await turns.take();
      const attemptMs = ports.time.monotonicMs();
      const atMs = ports.time.nowMs();
      const answer = await attempt(ports, { operation, path, token: ports.token, body });
      turns.giveBack();
      const status = answer?.status ?? null;
      ports.recorder.sent({ kind: "sent", atMs, bank: ports.partyId, operation, ...describe, bodyHash, status }, body);
      const end: SendEnd = { status, attempts, body: answer?.body ?? noBody };
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

async function attempt(ports: BankClientPorts, request: TransportRequest): Promise<TransportAnswer | null> {
  const patience = new AbortController();
  const timedOut = new Promise<null>((resolve) => patience.signal.addEventListener("abort", () => resolve(null), { once: true }));
  using _timer = ports.time.after(answerTimeoutMs, () => patience.abort());
  return await Promise.race([ports.transport.post(request, patience.signal), timedOut]);
}

/** `count` turns at a time, handed on in order of asking. */
function createTurns(count: number): { take(): Promise<void>; giveBack(): void } {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async take() {
      if (free === 0) return await new Promise<void>((resolve) => waiting.push(resolve));
      free -= 1;
    },
    giveBack() {
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

/** What is named like this in a history; a declaration is about a day. */
function describeMessage(message: JsonObject): { readonly uetr: string; readonly messageIdentification: string } {
  const scheme = textAt(message, "scheme");
  if (scheme !== "") return { uetr: `${scheme}:${textAt(message, "businessDate")}`, messageIdentification: "" };
  return {
    uetr: textAt(message, "transactionIdentifiers", "uetr").toLowerCase(),
    messageIdentification: textAt(message, "messageIdentifiers", "messageIdentification"),
  };
}

/** Text at a path of a message; empty where there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  let found = value;
  for (const member of path) found = typeof found === "object" && found !== null ? Reflect.get(found, member) : undefined;
  return typeof found === "string" ? found : "";
}
