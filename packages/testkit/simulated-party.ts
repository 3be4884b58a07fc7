// A bank or a scheme connector beside Sluice, without sockets: it receives what Sluice sends, answers as scripted, reports as
// scripted, and sends. What each of the two may send: `simulated-bank.ts`, `simulated-connector.ts`.
//
// #1 Each request is recorded when it comes, with the answer that the script gives it (null where it gives none).
// #2 A request with a wrong token is answered 401, one that is not readable 400; neither is acted on.
// #3 A report names the message that it is about as it was received, and is posted where reports on its kind go.

import { createHash } from "node:crypto";
import type { ReceivedEntry, MessageOperation } from "@sluice/checker";
import type { BankAnswer, BankRequest } from "@sluice/delivery";
import { sleep, type Random, type Time } from "@sluice/runtime";
import { createBankBehaviour } from "./bank-behaviour.ts";
import { createBankClient, textAt, type BankTransport, type CallPaths, type SendEnd } from "./bank-client.ts";
import type { BankRecorder } from "./bank-recorder.ts";
import { refuse, type AnswerPlan, type BankOperation, type ReportPlan, type ScriptRule } from "./bank-script.ts";
import { statusReport, type JsonObject } from "./builders.ts";

export interface IncomingRequest {
  readonly operation: BankOperation;
  readonly body: Uint8Array;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface SimulatedParty {
  /** Takes a request, acts on it, and says how it is to be answered. */
  receive(request: IncomingRequest): AnswerPlan;
  /** The same with the answer carried out on the party's clock, for callers without sockets. */
  handle(request: BankRequest): Promise<BankAnswer>;
  /** Sends until something final is said. */
  send(operation: MessageOperation, message: JsonObject): Promise<SendEnd>;
  /** Puts rules in front of the script. */
  script(rules: readonly ScriptRule[]): void;
  /** Reports planned or being sent, and messages being sent. */
  busy(): number;
  stop(): Promise<void>;
}

/** What a bank and a connector are made of. */
export interface PartyPorts {
  readonly time: Time;
  readonly random: Random;
  /** Bearer token that it calls with. */
  readonly token: string;
  /** Bearer token that it demands; null: none. */
  readonly expectedToken: string | null;
  readonly script: readonly ScriptRule[];
  readonly transport: BankTransport;
  readonly recorder: BankRecorder;
  /** How long it goes on repeating one message. */
  readonly giveUpAfterMs: number;
  /** How long it waits after the first repeats, where no answer says it; 60 s if not given. */
  readonly slowRepeatMs?: number;
}

export interface SimulatedPartyPorts extends PartyPorts {
  readonly partyId: string;
  readonly paths: CallPaths;
}

const slowRepeatMsDefault = 60_000;

export function createSimulatedParty(ports: SimulatedPartyPorts): SimulatedParty {
  const { time, partyId, recorder } = ports;
  const behaviour = createBankBehaviour(ports.script);
  const client = createBankClient({ ...ports, slowRepeatMs: ports.slowRepeatMs ?? slowRepeatMsDefault });
  const stopping = new AbortController();
  let busy = 0;

  function receive(request: IncomingRequest): AnswerPlan {
    const { operation, headers } = request;
    const message = parsed(request.body);
    const webhookId = headers["webhook-id"] ?? "";
    const uetr = (
      textAt(message, "transactionIdentifiers", "uetr") ||
      textAt(message, "tranInfo", "tranUetr") ||
      textAt(message, "identifiers", "uetr")
    ).toLowerCase();
    const answer = judge();
    const status = answer.kind === "answer" ? answer.status : null;
    const bodyHash = createHash("sha256").update(request.body).digest("hex");
    const entry = { kind: "received", atMs: time.nowMs(), bank: partyId, operation, webhookId, uetr, bodyHash, status } as const;
    const asked = answer.kind === "answer" && answer.retryAfter !== null ? { retryAfter: answer.retryAfter } : {};
    recorder.received({ ...entry, ...asked, ...eventColumns(message) }, request.body, withoutToken(headers));
    return answer;

    function judge(): AnswerPlan {
      if (ports.expectedToken !== null && headers["authorization"] !== `Bearer ${ports.expectedToken}`) return refuse(401);
      if (uetr === "" || webhookId === "") return refuse(400);
      const reaction = behaviour.react({ operation, webhookId, uetr, atMs: time.nowMs() });
      reaction.reports.forEach((plan, place) => void counted(report(operation, message, plan, place)));
      return reaction.answer;
    }
  }

  /** #3 */
  async function report(operation: BankOperation, about: unknown, plan: ReportPlan, place: number): Promise<void> {
    await sleep(time, plan.afterMs + ports.random.fraction() * plan.jitterMs, stopping.signal);
    const uetr = textAt(about, "transactionIdentifiers", "uetr");
    const message = statusReport({
      uetr,
      messageIdentification: `${uetr.toLowerCase().replaceAll("-", "")}P${place}`,
      originalMessageIdentification: textAt(about, "messageIdentifiers", "messageIdentification"),
      originalCreationDateTime: textAt(about, "messageIdentifiers", "creationDateTime"),
      endToEndIdentification: textAt(about, "transactionIdentifiers", "endToEndIdentification"),
      scheme: textAt(about, "paymentScheme", "schema"),
      creationDateTime: new Date(time.nowMs()).toISOString(),
      outcome: plan.outcome,
      code: plan.code,
      reason: plan.reason,
    });
    const response = operation === "inboundDirectDebit" ? "inboundDirectDebitResponse" : "inboundCreditTransferAuthorizationResponse";
    for (let copy = 0; copy < plan.copies && !stopping.signal.aborted; copy += 1) await client.send(response, message);
  }

  async function counted<T>(work: Promise<T>): Promise<T> {
    busy += 1;
    try {
      return await work;
    } finally {
      busy -= 1;
    }
  }

  return {
    receive,
    handle: (request) => answered(ports, receive({ ...request, headers: lowerCased(request.headers) }), request.timeoutMs),
    send: (operation, message) => counted(client.send(operation, message)),
    script: (rules) => behaviour.prepend(rules),
    busy: () => busy,
    async stop() {
      stopping.abort();
      await client.stop();
    },
  };
}

/** Lateness of an answer, drawn where the plan leaves room. */
export function latenessMs(random: Random, plan: { readonly afterMs: number; readonly jitterMs: number }): number {
  return plan.jitterMs === 0 ? plan.afterMs : plan.afterMs + random.fraction() * plan.jitterMs;
}

async function answered(ports: SimulatedPartyPorts, plan: AnswerPlan, timeoutMs: number): Promise<BankAnswer> {
  if (plan.kind === "drop") return { kind: "silent", reason: "ECONNRESET" };
  const lateMs = plan.kind === "silent" ? Infinity : latenessMs(ports.random, plan);
  await sleep(ports.time, Math.min(lateMs, timeoutMs));
  if (plan.kind === "silent" || lateMs >= timeoutMs) return { kind: "silent", reason: "timeout" };
  return { kind: "answered", status: plan.status, retryAfter: plan.retryAfter, body: new Uint8Array() };
}

function eventColumns(message: unknown): Pick<ReceivedEntry, "stageVersion" | "state"> {
  const stageVersion: unknown = typeof message === "object" && message !== null ? Reflect.get(message, "stageVersion") : undefined;
  const type = textAt(message, "type");
  return {
    stageVersion: typeof stageVersion === "number" ? stageVersion : null,
    state: type === "" ? null : type.replace(/^DIRECT_DEBIT_/, ""),
  };
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null;
  }
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function withoutToken(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "authorization"));
}
