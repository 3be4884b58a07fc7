// A simulated bank with its real HTTP server and client: what demo, end-to-end tests, bench and chaos put beside Sluice.

import type { SentEntry } from "@sluice/checker";
import type { Random, Time } from "@sluice/runtime";
import { Pool } from "undici";
import type { BankTransport } from "./bank-client.ts";
import { createMemoryRecorder, type BankRecorder, type MemoryRecorder } from "./bank-recorder.ts";
import type { ScriptRule } from "./bank-script.ts";
import { startBankServer } from "./bank-server.ts";
import { createSimulatedBank, type SimulatedBank } from "./simulated-bank.ts";

export interface BankSimulatorOptions {
  readonly time: Time;
  readonly random: Random;
  readonly bankId: string;
  /** Bearer token that the bank calls with. */
  readonly token: string;
  /** Bearer token that it demands of Sluice; none by default. */
  readonly expectedToken?: string | null;
  /** Where ingress listens, `http://host:port`; paths are those of the operations. Null: set later by `callAt`, and until then no answer. */
  readonly ingressUrl: string | null;
  readonly host: string;
  readonly port: number;
  readonly script?: readonly ScriptRule[];
  /** In memory by default. */
  readonly recorder?: BankRecorder;
  readonly giveUpAfterMs?: number;
  readonly slowRepeatMs?: number;
  /** Connections to ingress. */
  readonly connections?: number;
}

export interface BankSimulator extends SimulatedBank {
  /** Base address for deliveries and for events. */
  readonly url: string;
  /** What was recorded, where no recorder was given. */
  readonly recorded: MemoryRecorder;
  /** Where ingress listens from now on. */
  callAt(ingressUrl: string): void;
}

const giveUpAfterMsDefault = 900_000;
const connectionsDefault = 32;

const paths: Readonly<Record<SentEntry["operation"], string>> = {
  outboundDirectDebit: "/transactions/outbound/direct-debit",
  inboundDirectDebitResponse: "/transactions/inbound/direct-debit-response",
};

export async function startBankSimulator(options: BankSimulatorOptions): Promise<BankSimulator> {
  const recorded = createMemoryRecorder();
  const transport = createHttpTransport(options.ingressUrl, options.connections ?? connectionsDefault);
  const bank = createSimulatedBank({
    time: options.time,
    random: options.random,
    bankId: options.bankId,
    token: options.token,
    expectedToken: options.expectedToken ?? null,
    script: options.script ?? [],
    transport,
    recorder: options.recorder ?? recorded,
    giveUpAfterMs: options.giveUpAfterMs ?? giveUpAfterMsDefault,
    ...(options.slowRepeatMs === undefined ? {} : { slowRepeatMs: options.slowRepeatMs }),
  });
  const server = await startBankServer(bank, options);
  return {
    ...bank,
    url: server.url,
    recorded,
    callAt: (ingressUrl) => transport.callAt(ingressUrl),
    async stop() {
      await Promise.all([bank.stop(), server.stop()]);
    },
  };
}

function createHttpTransport(ingressUrl: string | null, connections: number): BankTransport & { callAt(url: string): void } {
  const open = (url: string): Pool => new Pool(url, { connections, pipelining: 1 });
  let pool = ingressUrl === null ? null : open(ingressUrl);
  return {
    callAt(url) {
      void pool?.destroy();
      pool = open(url);
    },
    async post(request, signal) {
      if (pool === null) return null;
      try {
        const answer = await pool.request({
          method: "POST",
          path: paths[request.operation],
          headers: { authorization: `Bearer ${request.token}`, "content-type": "application/json" },
          body: request.body,
          signal,
        });
        const retryAfter = answer.headers["retry-after"];
        return {
          status: answer.statusCode,
          retryAfter: typeof retryAfter === "string" ? retryAfter : null,
          body: new Uint8Array(await answer.body.arrayBuffer()),
        };
      } catch {
        // Whatever went wrong with the connection, the bank heard nothing.
        return null;
      }
    },
    async close() {
      await pool?.destroy();
    },
  };
}
