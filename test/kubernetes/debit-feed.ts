// Posts debits to ingress at a steady rate, as a bank that repeats nothing: what a rollout costs a caller is then seen
// as it is. A bank that repeats shows how long a caller waits.
//
// #1 Every second debit takes a connection that is kept alive, every other one a connection of its own.
// #2 A request without an answer, and an answer other than 202, is counted and not sent again. A feed that repeats
//    sends the same bytes again after a second, for a minute at most, and counts what came last.
// #3 Every request is recorded, so that the checker sees it.

import { createHash } from "node:crypto";
import { Agent, request } from "node:http";
import { machineRandom, machineTime, sleep } from "@sluice/kernel";
import { buildDirectDebit, drawUetr, encodeBody, type MemoryRecorder, validAccount } from "@sluice/testkit";
import type { SentDebit } from "./figures.ts";

export interface DebitFeedOptions {
  readonly ingressUrl: string;
  readonly bank: { readonly id: string; readonly branch: string; readonly token: string };
  readonly perSecond: number;
  readonly recorder: MemoryRecorder;
  /** #2; it does not where this is left out. */
  readonly isRepeating?: boolean;
}

export interface DebitFeed {
  /** Ends the feed, and resolves with everything that it sent once all is answered. */
  stop(): Promise<readonly SentDebit[]>;
}

const answerMaxMs = 5_000;
const repeatAfterMs = 1_000;
const repeatMaxMs = 60_000;
const accountsMax = 10_000;
const path = "/transactions/outbound/direct-debit";

export function startDebitFeed(options: DebitFeedOptions): DebitFeed {
  const keptAlive = new Agent({ keepAlive: true, maxSockets: 32 });
  const stopping = new AbortController();
  const sending: Promise<SentDebit>[] = [];

  async function feed(): Promise<void> {
    const startMs = machineTime.monotonicMs();
    for (let number = 0; !stopping.signal.aborted; number += 1) {
      await sleep(machineTime, Math.max(0, startMs + (number * 1_000) / options.perSecond - machineTime.monotonicMs()), stopping.signal);
      if (!stopping.signal.aborted) sending.push(send(options, number, number % 2 === 0 ? keptAlive : false));
    }
  }

  const feeding = feed();
  return {
    async stop() {
      stopping.abort();
      await feeding;
      const sent = await Promise.all(sending);
      keptAlive.destroy();
      return sent;
    },
  };
}

async function send(
  { ingressUrl, bank, recorder, isRepeating = false }: DebitFeedOptions,
  number: number,
  agent: Agent | false,
): Promise<SentDebit> {
  const uetr = drawUetr(machineRandom);
  const messageIdentification = `LOAD-${uetr.slice(0, 23)}`;
  const creationDateTime = new Date(machineTime.nowMs()).toISOString();
  const account = validAccount((number % accountsMax) + 1);
  const body = encodeBody(
    buildDirectDebit({ uetr, messageIdentification, creationDateTime, debtorAccount: account, debtorBranch: bank.branch }),
  );
  const bodyHash = createHash("sha256").update(body).digest("hex");
  const firstAtMs = machineTime.nowMs();
  for (;;) {
    const atMs = machineTime.nowMs();
    const outcome = await post(new URL(path, ingressUrl), bank.token, body, agent);
    const status = typeof outcome === "number" ? outcome : null;
    const entry = { kind: "sent", atMs, bank: bank.id, operation: "outboundDirectDebit", uetr, messageIdentification, bodyHash } as const;
    recorder.sent({ ...entry, status }, body);
    const answeredAtMs = machineTime.nowMs();
    if (!isRepeating || outcome === 202 || answeredAtMs - firstAtMs > repeatMaxMs)
      return { uetr, outcome, isKeptAlive: agent !== false, answeredAtMs, acceptedAfterMs: answeredAtMs - firstAtMs };
    await sleep(machineTime, repeatAfterMs);
  }
}

/** Resolves with the status, or with the reason why there is none. */
function post(url: URL, token: string, body: Uint8Array, agent: Agent | false): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { "content-type": "application/json", "content-length": body.byteLength, authorization: `Bearer ${token}` };
    const sent = request(url, { method: "POST", agent, timeout: answerMaxMs, headers }, (answer) => {
      answer.resume();
      answer.once("end", () => resolve(answer.statusCode ?? 0));
      answer.once("error", () => resolve("ECONNRESET"));
    });
    sent.once("timeout", () => sent.destroy(Object.assign(new Error("no answer"), { code: "TIMEOUT" })));
    sent.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.end(body);
  });
}
