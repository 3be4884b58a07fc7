// A bank beside Sluice, without sockets: it receives what Sluice sends, answers as scripted, reports as scripted, and sends debits.
// `startBankSimulator` puts it on real HTTP; the simulation calls `handle` and brings a transport of its own.
//
// #1 Each request is recorded when it comes, with the answer that the script gives it (null where it gives none).
// #2 A request with a wrong token is answered 401, one that is not readable 400; neither is acted on.

import { createHash } from "node:crypto";
import type { ReceivedEntry } from "@sluice/checker";
import type { BankAnswer, BankRequest } from "@sluice/delivery";
import { sleep, type Random, type Time } from "@sluice/runtime";
import { createBankBehaviour } from "./bank-behaviour.ts";
import { createBankClient, textAt, type BankTransport, type SendEnd } from "./bank-client.ts";
import type { BankRecorder } from "./bank-recorder.ts";
import { refuse, type AnswerPlan, type BankOperation, type ReportPlan, type ScriptRule } from "./bank-script.ts";
import { statusReport, type JsonObject } from "./builders.ts";

export interface IncomingRequest {
  readonly operation: BankOperation;
  readonly body: Uint8Array;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface SimulatedBank {
  readonly bankId: string;
  /** Takes a request, acts on it, and says how it is to be answered. */
  receive(request: IncomingRequest): AnswerPlan;
  /** The same with the answer carried out on this bank's clock, for callers without sockets. */
  handle(request: BankRequest): Promise<BankAnswer>;
  sendDebit(message: JsonObject): Promise<SendEnd>;
  sendReport(message: JsonObject): Promise<SendEnd>;
  /** Puts rules in front of the script. */
  script(rules: readonly ScriptRule[]): void;
  /** Reports planned or being sent, and debits being sent. */
  busy(): number;
  stop(): Promise<void>;
}

export interface SimulatedBankPorts {
  readonly time: Time;
  readonly random: Random;
  readonly bankId: string;
  /** Bearer token that the bank calls with. */
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

const slowRepeatMsDefault = 60_000;

export function createSimulatedBank(ports: SimulatedBankPorts): SimulatedBank {
  const { time, bankId, recorder } = ports;
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
    const entry = { kind: "received", atMs: time.nowMs(), bank: bankId, operation, webhookId, uetr, bodyHash, status } as const;
    recorder.received({ ...entry, ...eventColumns(message) }, request.body, withoutToken(headers));
    return answer;

    function judge(): AnswerPlan {
      if (ports.expectedToken !== null && headers["authorization"] !== `Bearer ${ports.expectedToken}`) return refuse(401);
      if (uetr === "" || webhookId === "") return refuse(400);
      const reaction = behaviour.react({ operation: request.operation, webhookId, uetr });
      reaction.reports.forEach((plan, place) => track(report(message, plan, place)));
      return reaction.answer;
    }
  }

  async function report(debit: unknown, plan: ReportPlan, place: number): Promise<void> {
    await sleep(time, plan.afterMs + ports.random.fraction() * plan.jitterMs, stopping.signal);
    const uetr = textAt(debit, "transactionIdentifiers", "uetr");
    const message = statusReport({
      uetr,
      messageIdentification: `${uetr.toLowerCase().replaceAll("-", "")}P${place}`,
      originalMessageIdentification: textAt(debit, "messageIdentifiers", "messageIdentification"),
      originalCreationDateTime: textAt(debit, "messageIdentifiers", "creationDateTime"),
      endToEndIdentification: textAt(debit, "transactionIdentifiers", "endToEndIdentification"),
      creationDateTime: new Date(time.nowMs()).toISOString(),
      outcome: plan.outcome,
      reason: plan.reason,
    });
    for (let copy = 0; copy < plan.copies && !stopping.signal.aborted; copy += 1) await client.send("inboundDirectDebitResponse", message);
  }

  function track(work: Promise<unknown>): void {
    busy += 1;
    void work.finally(() => (busy -= 1));
  }

  async function counted(work: Promise<SendEnd>): Promise<SendEnd> {
    track(work);
    return await work;
  }

  return {
    bankId,
    receive,
    handle: (request) => answered(ports, receive({ ...request, headers: lowerCased(request.headers) }), request.timeoutMs),
    sendDebit: (message) => counted(client.send("outboundDirectDebit", message)),
    sendReport: (message) => counted(client.send("inboundDirectDebitResponse", message)),
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

async function answered(ports: SimulatedBankPorts, plan: AnswerPlan, timeoutMs: number): Promise<BankAnswer> {
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
