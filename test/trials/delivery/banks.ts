// Runs the banks of a delivery trial on real HTTP, each by its profile. They keep no bodies and send nothing, because
// very many requests come.
//
// #1 A final answer (202; any 2xx for an event) counts as an acknowledgement from the moment at which the bank begins
//    to write it.
// #2 A refusing bank has a port below the range that the system gives to clients, and listens on it only after it was
//    healed. So nobody else can take the port meanwhile.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Random, sleep, type Time } from "@sluice/kernel";
import type { DeliveryRecorder } from "./recorder.ts";
import type { PlannedBank } from "./plan.ts";
import { readBankRequest } from "./bank-request.ts";
import { drawAnswer, type ProfileAnswer } from "./bank-profiles.ts";

export interface TrialBanks {
  /** Base URL by bank id. */
  readonly urls: ReadonlyMap<string, string>;
  /** Makes all banks healthy from now on; only the throttling bank goes on throttling. */
  heal(): Promise<void>;
}

export interface TrialBanksOptions {
  readonly recorder: DeliveryRecorder;
  readonly random: Random;
  readonly time: Time;
  readonly isBrief: boolean;
  /** Names a bank's host; null, and where it is not given: it has an address alone. */
  readonly hostOf?: (bank: PlannedBank) => string | null;
  /** Ids of messages that are answered with 500 for ever. */
  readonly failingIds?: ReadonlySet<string>;
}

interface ServedBank {
  readonly bank: PlannedBank;
  readonly options: TrialBanksOptions;
  readonly otherBankUrl: () => string;
  isHealed: boolean;
}

const host = "127.0.0.1";
const portsFrom = 20_000;
const portsCount = 10_000;
const triesMax = 50;
const tryAgainMs = 100;
/** Longer than the caller keeps its connections, so that the caller closes them. */
const keepAliveMs = 60_000;
const filler = Buffer.alloc(65_536, "x");

/** Starts the banks; `opened` stops them. */
export async function openTrialBanks(
  banks: readonly PlannedBank[],
  options: TrialBanksOptions,
  opened: AsyncDisposableStack,
): Promise<TrialBanks> {
  const urls = new Map<string, string>();
  const otherBankUrl = (): string => `${urls.get(banks[0]?.id ?? "") ?? ""}/inbound/direct-debit`;
  const healing: (() => Promise<void>)[] = [];
  for (const bank of banks) {
    const served: ServedBank = { bank, options, otherBankUrl, isHealed: false };
    const server = createServer({ keepAliveTimeout: keepAliveMs, requestTimeout: 0 }, (request, response) => {
      // The trial kills callers in the middle of their requests.
      serve(served, request, response).catch(() => response.destroy());
    });
    opened.defer(() => close(server));
    const isRefusing = bank.profile === "refusing";
    const port = await (isRefusing ? listenBelow(server, options.random) : listen(server, 0));
    if (isRefusing) await close(server);
    urls.set(bank.id, `http://${options.hostOf?.(bank) ?? host}:${port}`);
    healing.push(async () => {
      served.isHealed = true;
      if (isRefusing) await listenAgain(server, port, options.time);
    });
  }
  return { urls, heal: async () => void (await Promise.all(healing.map((heal) => heal()))) };
}

async function serve(
  { bank, options, otherBankUrl, isHealed }: ServedBank,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { recorder, random, time, isBrief } = options;
  const message = await readBankRequest(request);
  const recordAcknowledgement = recorder.recordArrival(bank.id, message);
  const isFailing = options.failingIds?.has(message.id) ?? false;
  const conditions = { profile: bank.profile, isHealed, isBrief, isFailing, nowMs: time.nowMs(), otherBankUrl: otherBankUrl() };
  const answer = drawAnswer(conditions, random);
  if (answer.kind === "answer" && answer.afterMs >= 1) await sleep(time, answer.afterMs);
  if (response.destroyed || request.socket.destroyed) return;
  if (isAcknowledgement(answer, message.operation)) recordAcknowledgement();
  writeAnswer(answer, request, response);
}

/** #1 */
function isAcknowledgement(answer: ProfileAnswer, operation: string): boolean {
  if (answer.kind === "interim") return true;
  if (answer.kind !== "answer") return false;
  return answer.status === 202 || (operation === "events" && answer.status >= 200 && answer.status < 300);
}

function writeAnswer(answer: ProfileAnswer, request: IncomingMessage, response: ServerResponse): void {
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
  for (let left = bodyBytes; left > 0; left -= filler.byteLength) response.write(filler.subarray(0, left));
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

/** #2 */
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

/** Requests that get no answer keep their connections open for ever, so all connections are cut. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
