// Simulates the parts that a bank and a scheme connector have in common, without sockets: it receives Sluice's
// requests, answers and reports as scripted, and sends. `simulated-bank.ts` and `simulated-connector.ts` add the
// operations of each.
//
// #1 Each request is recorded when it arrives, with the status that the script gives it (null for no answer).
// #2 A request with a wrong token is answered 401, and an unreadable one 400. Neither is acted on.
// #3 A report names its message by the identification under which it was received, and is posted to the path for its
//    kind.

import { createHash } from "node:crypto";
import type { ReceivedEntry, MessageOperation } from "@sluice/checker";
import type { ReceiverAnswer, ReceiverRequest } from "@sluice/delivery";
import { sleep, type Random, type Time } from "@sluice/kernel";
import { createPartyBehaviour } from "./behaviour.ts";
import { createPartyClient, readMessageText, type PartyTransport, type CallPaths, type SendResult } from "./client.ts";
import type { PartyRecorder } from "./recorder.ts";
import { refuse, type AnswerPlan, type DeliveredOperation, type ReportPlan, type ScriptRule } from "./script.ts";
import { buildStatusReport, type MessageObject } from "../messages/builders.ts";

export interface IncomingRequest {
  readonly operation: DeliveredOperation;
  readonly body: Uint8Array;
  /** Headers with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface SimulatedParty {
  /** Acts on a request and returns how to answer it. */
  receive(request: IncomingRequest): AnswerPlan;
  /** Acts on a request and answers it on the party's clock, for callers without sockets. */
  handle(request: ReceiverRequest): Promise<ReceiverAnswer>;
  /** Sends until a final answer comes. */
  send(operation: MessageOperation, message: MessageObject): Promise<SendResult>;
  /** Puts rules in front of the script's. */
  addRules(rules: readonly ScriptRule[]): void;
  /** The number of reports that are planned or being sent, and of messages that are being sent. */
  pendingCount(): number;
  stop(): Promise<void>;
}

/** The ports and settings that banks and connectors share. */
export interface PartyPorts {
  readonly time: Time;
  readonly random: Random;
  /** The bearer token that it sends. */
  readonly token: string;
  /** The bearer token that it requires; null for none. */
  readonly expectedToken: string | null;
  readonly script: readonly ScriptRule[];
  readonly transport: PartyTransport;
  readonly recorder: PartyRecorder;
  /** Milliseconds for which it repeats one message. */
  readonly giveUpAfterMs: number;
  /** Milliseconds between repeats after the first ones if no answer says how long to wait; 60,000 by default. */
  readonly slowRepeatMs?: number;
}

export interface SimulatedPartyPorts extends PartyPorts {
  readonly partyId: string;
  readonly paths: CallPaths;
}

const slowRepeatMsDefault = 60_000;

export function createSimulatedParty(ports: SimulatedPartyPorts): SimulatedParty {
  const { time, partyId, recorder } = ports;
  const behaviour = createPartyBehaviour(ports.script);
  const client = createPartyClient({ ...ports, slowRepeatMs: ports.slowRepeatMs ?? slowRepeatMsDefault });
  const stopping = new AbortController();
  let busy = 0;

  function receive(request: IncomingRequest): AnswerPlan {
    const { operation, headers } = request;
    const message = parseJsonBody(request.body);
    const webhookId = headers["webhook-id"] ?? "";
    const uetr = (
      readMessageText(message, "transactionIdentifiers", "uetr") ||
      readMessageText(message, "tranInfo", "tranUetr") ||
      readMessageText(message, "identifiers", "uetr")
    ).toLowerCase();
    const answer = react();
    const status = answer.kind === "answer" ? answer.status : null;
    const bodyHash = createHash("sha256").update(request.body).digest("hex");
    const entry = { kind: "received", atMs: time.nowMs(), bank: partyId, operation, webhookId, uetr, bodyHash, status } as const;
    const retryAfter = answer.kind === "answer" && answer.retryAfter !== null ? { retryAfter: answer.retryAfter } : {};
    recorder.received({ ...entry, ...retryAfter, ...readEventColumns(message) }, request.body, withoutToken(headers));
    return answer;

    function react(): AnswerPlan {
      if (ports.expectedToken !== null && headers["authorization"] !== `Bearer ${ports.expectedToken}`) return refuse(401);
      if (uetr === "" || webhookId === "") return refuse(400);
      const reaction = behaviour.react({ operation, webhookId, uetr, atMs: time.nowMs() });
      reaction.reports.forEach((plan, place) => void count(report(operation, message, plan, place)));
      return reaction.answer;
    }
  }

  /** #3 */
  async function report(operation: DeliveredOperation, about: unknown, plan: ReportPlan, place: number): Promise<void> {
    await sleep(time, plan.afterMs + ports.random.fraction() * plan.jitterMs, stopping.signal);
    const uetr = readMessageText(about, "transactionIdentifiers", "uetr");
    const message = buildStatusReport({
      uetr,
      messageIdentification: `${uetr.toLowerCase().replaceAll("-", "")}P${place}`,
      originalMessageIdentification: readMessageText(about, "messageIdentifiers", "messageIdentification"),
      originalCreationDateTime: readMessageText(about, "messageIdentifiers", "creationDateTime"),
      endToEndIdentification: readMessageText(about, "transactionIdentifiers", "endToEndIdentification"),
      scheme: readMessageText(about, "paymentScheme", "schema"),
      creationDateTime: new Date(time.nowMs()).toISOString(),
      outcome: plan.outcome,
      code: plan.code,
      reason: plan.reason,
    });
    const response = operation === "inboundDirectDebit" ? "inboundDirectDebitResponse" : "inboundCreditTransferAuthorizationResponse";
    for (let copy = 0; copy < plan.copies && !stopping.signal.aborted; copy += 1) await client.send(response, message);
  }

  async function count<T>(work: Promise<T>): Promise<T> {
    busy += 1;
    try {
      return await work;
    } finally {
      busy -= 1;
    }
  }

  return {
    receive,
    handle: (request) => carryOut(ports, receive({ ...request, headers: toLowerCaseNames(request.headers) }), request.timeoutMs),
    send: (operation, message) => count(client.send(operation, message)),
    addRules: (rules) => behaviour.prepend(rules),
    pendingCount: () => busy,
    async stop() {
      stopping.abort();
      await client.stop();
    },
  };
}

/** Returns the delay of an answer in milliseconds, drawn if the plan has jitter. */
export function drawDelayMs(random: Random, plan: { readonly afterMs: number; readonly jitterMs: number }): number {
  return plan.jitterMs === 0 ? plan.afterMs : plan.afterMs + random.fraction() * plan.jitterMs;
}

async function carryOut(ports: SimulatedPartyPorts, plan: AnswerPlan, timeoutMs: number): Promise<ReceiverAnswer> {
  if (plan.kind === "drop") return { kind: "silent", reason: "ECONNRESET" };
  const delayMs = plan.kind === "silent" ? Infinity : drawDelayMs(ports.random, plan);
  await sleep(ports.time, Math.min(delayMs, timeoutMs));
  if (plan.kind === "silent" || delayMs >= timeoutMs) return { kind: "silent", reason: "timeout" };
  return { kind: "answered", status: plan.status, retryAfter: plan.retryAfter, body: new Uint8Array() };
}

function readEventColumns(message: unknown): Pick<ReceivedEntry, "stageVersion" | "state"> {
  const stageVersion: unknown = typeof message === "object" && message !== null ? Reflect.get(message, "stageVersion") : undefined;
  const type = readMessageText(message, "type");
  return {
    stageVersion: typeof stageVersion === "number" ? stageVersion : null,
    state: type === "" ? null : type.replace(/^DIRECT_DEBIT_/, ""),
  };
}

function parseJsonBody(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null;
  }
}

function toLowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function withoutToken(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "authorization"));
}
