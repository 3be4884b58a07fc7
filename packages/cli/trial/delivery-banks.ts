// The banks of a trial of deliveries on real HTTP, each of its temper. Light, because many requests come: they keep no bodies and send nothing.
//
// 1. What a bank answers for good (202, of an event any 2xx) counts as acknowledged from the moment at which it begins to write.
// 2. The one that refuses connections has a port of its own below those that the system gives to callers, and listens on it only when it is healed.

import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { sleep } from "@sluice/runtime";
import type { Random, Time } from "@sluice/runtime";
import type { HeardDeliveries } from "./delivery-heard.ts";
import type { PlannedBank } from "./delivery-plan.ts";
import { messageIn } from "./delivery-request.ts";
import { answerOf } from "./delivery-tempers.ts";
import type { BankAnswer } from "./delivery-tempers.ts";

export interface TrialBanks {
  /** By bank. */
  readonly urls: ReadonlyMap<string, string>;
  /** From now on all are healthy (the one that throttles goes on). */
  heal(): Promise<void>;
}

export interface TrialBanksOptions {
  readonly heard: HeardDeliveries;
  readonly random: Random;
  readonly time: Time;
  readonly isBrief: boolean;
}

interface Standing {
  readonly bank: PlannedBank;
  readonly options: TrialBanksOptions;
  readonly elsewhere: () => string;
  isHealed: boolean;
}

const host = "127.0.0.1";
const portsFrom = 20_000;
const portsCount = 10_000;
const triesMax = 50;
const tryAgainMs = 100;
/** As long as the caller's connections, and longer: the caller is the one to close. */
const keepAliveMs = 60_000;
const filling = Buffer.alloc(65_536, "x");

/** What is opened is closed by `opened`. */
export async function openTrialBanks(
  banks: readonly PlannedBank[],
  options: TrialBanksOptions,
  opened: AsyncDisposableStack,
): Promise<TrialBanks> {
  const urls = new Map<string, string>();
  const elsewhere = (): string => `${urls.get(banks[0]?.id ?? "") ?? ""}/inbound/direct-debit`;
  const healing: (() => Promise<void>)[] = [];
  for (const bank of banks) {
    const standing: Standing = { bank, options, elsewhere, isHealed: false };
    const server = createServer({ keepAliveTimeout: keepAliveMs, requestTimeout: 0 }, (request, response) => {
      // A caller that was killed in the middle of its request is what the trial is about.
      serve(standing, request, response).catch(() => response.destroy());
    });
    opened.defer(() => close(server));
    const isRefusing = bank.temper === "refusing";
    const port = await (isRefusing ? listenBelow(server, options.random) : listen(server, 0));
    if (isRefusing) await close(server);
    urls.set(bank.id, `http://${host}:${port}`);
    healing.push(async () => {
      standing.isHealed = true;
      if (isRefusing) await listenAgain(server, port, options.time);
    });
  }
  return { urls, heal: async () => void (await Promise.all(healing.map((heal) => heal()))) };
}

async function serve({ bank, options, elsewhere, isHealed }: Standing, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { heard, random, time, isBrief } = options;
  const message = await messageIn(request);
  const acknowledged = heard.arrived(bank.id, message);
  const answer = answerOf({ temper: bank.temper, isHealed, isBrief, nowMs: time.nowMs(), elsewhere: elsewhere() }, random);
  if (answer.kind === "answer" && answer.afterMs >= 1) await sleep(time, answer.afterMs);
  if (response.destroyed || request.socket.destroyed) return;
  if (isGood(answer, message.operation)) acknowledged();
  carryOut(answer, request, response);
}

/** 1 */
function isGood(answer: BankAnswer, operation: string): boolean {
  if (answer.kind === "interim") return true;
  if (answer.kind !== "answer") return false;
  return answer.status === 202 || (operation === "events" && answer.status >= 200 && answer.status < 300);
}

function carryOut(answer: BankAnswer, request: IncomingMessage, response: ServerResponse): void {
  if (answer.kind === "silent") return;
  if (answer.kind === "raw") {
    request.socket.end(answer.text, () => request.socket.destroy());
    return;
  }
  if (answer.kind === "interim") {
    for (let sent = 0; sent < answer.count; sent += 1) response.writeEarlyHints({ link: "</styles.css>; rel=preload" });
    response.writeHead(202, { "content-length": "0" }).end();
    return;
  }
  const { status, headers, bodyBytes } = answer;
  response.writeHead(status, { ...headers, "content-length": String(bodyBytes) });
  for (let left = bodyBytes; left > 0; left -= filling.byteLength) response.write(filling.subarray(0, left));
  response.end();
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

/** 2 */
async function listenBelow(server: Server, random: Random): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = portsFrom + Math.floor(random.fraction() * portsCount);
    const listening = await listen(server, port).catch((error: unknown) => (tries < triesMax ? null : Promise.reject(error)));
    if (listening !== null) return listening;
  }
}

async function listenAgain(server: Server, port: number, time: Time): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const listening = await listen(server, port).catch((error: unknown) => (tries < triesMax ? null : Promise.reject(error)));
    if (listening !== null) return;
    await sleep(time, tryAgainMs);
  }
}

/** Silent requests hold their connections for ever, so all are cut. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
