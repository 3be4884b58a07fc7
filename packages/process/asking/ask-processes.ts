// Asks every process of every service how it is, at its operations port.
//
// #1 A name may have many addresses, as that of all pods has: each of them is a process and is asked by itself.
// #2 Who does not answer in time is listed without an answer. Nothing here rejects.
// #3 No secret is sent, and nothing follows from an answer but what a person reads, so the certificate of a process is
//    not checked, as scrapers do not: it has the name of the service that callers use, and a pod has none.

import { lookup } from "node:dns/promises";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import type { Time } from "@sluice/kernel";
import type { Need } from "../needs.ts";

/** What a process answered. */
export interface AskedProcess {
  /** Its own address, as `http://10.1.2.3:9464`. */
  readonly address: string;
  /** The JSON text of its `/readyz`; null: it did not answer. */
  readonly readiness: string | null;
  /** Prometheus text; empty if it did not answer. */
  readonly metrics: string;
  /** Why it did not answer; null: it did. */
  readonly failure: string | null;
}

export type AskProcesses = () => Promise<readonly AskedProcess[]>;

const answerTimeoutMs = 2_000;
const answerBytesMax = 8 * 1024 * 1024;
const processesMax = 200;

/** Asks the processes at these addresses; null: nobody said where they are. */
export const askProcesses: Need<AskProcesses | null, "SLUICE_OPERATIONS_ADDRESSES"> = {
  variables: ["SLUICE_OPERATIONS_ADDRESSES"],
  open: ({ environment, time }) => createAskProcesses(environment.SLUICE_OPERATIONS_ADDRESSES, time),
};

export function createAskProcesses(addresses: readonly string[] | null, time: Time): AskProcesses | null {
  if (addresses === null) return null;
  return async () => {
    const places = (await Promise.all(addresses.map(findPlaces))).flat().slice(0, processesMax);
    return await Promise.all(places.map((place) => askProcess(place, time)));
  };
}

interface Place {
  /** The configured address. */
  readonly url: URL;
  /** One of the addresses of its name; null: the name is not known. */
  readonly host: string | null;
}

/** #1 */
async function findPlaces(address: string): Promise<readonly Place[]> {
  const url = new URL(address);
  const name = url.hostname.replaceAll(/[[\]]/g, "");
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.length === 0 ? [{ url, host: null }] : found.map((one) => ({ url, host: one.address }));
}

async function askProcess(place: Place, time: Time): Promise<AskedProcess> {
  const { url, host } = place;
  if (host === null) return { address: url.origin, readiness: null, metrics: "", failure: "its name is not known" };
  const shown = new URL(url.origin);
  shown.hostname = host.includes(":") ? `[${host}]` : host;
  const address = shown.origin;
  try {
    const [readiness, metrics] = await Promise.all([get(url, host, "/readyz", time), get(url, host, "/metrics", time)]);
    return { address, readiness, metrics, failure: null };
  } catch (error) {
    return { address, readiness: null, metrics: "", failure: failureText(error) };
  }
}

/** A process that is not ready answers 503, with the same body. */
async function get({ protocol, host: hostHeader, hostname, port }: URL, host: string, path: string, time: Time): Promise<string> {
  const [request, portDefault] = protocol === "https:" ? [requestHttps, 443] : [requestHttp, 80];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const options = {
    host,
    port: port === "" ? portDefault : Number(port),
    path,
    // Only a name is said in TLS: an address is refused there.
    ...(isIP(hostname.replaceAll(/[[\]]/g, "")) === 0 ? { servername: hostname } : {}),
    rejectUnauthorized: false,
    headers: { host: hostHeader },
  };
  const asked = request(options, (answer) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    answer.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes > answerBytesMax) asked.destroy(new Error("the answer is too long"));
      parts.push(part);
    });
    answer.once("end", () => resolve(Buffer.concat(parts).toString("utf8")));
    answer.once("error", reject);
  });
  asked.once("error", reject);
  using _limit = time.after(answerTimeoutMs, () => void asked.destroy(new Error(`no answer within ${answerTimeoutMs / 1_000} s`)));
  asked.end();
  return await promise;
}

function failureText(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  const code: unknown = Reflect.get(error, "code");
  return typeof code === "string" ? code : error.message;
}
