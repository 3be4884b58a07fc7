// Asks name servers for the addresses of a name, by c-ares: its questions are datagrams on the event loop and occupy no
// thread, so a silent server delays nobody but those who wait for its names.
//
// #1 A and AAAA are asked at once. When one has addresses, the other is waited for shortly: some servers never answer a
//    question for AAAA.
// #2 Full names are asked for one after the other (resolv-conf.ts). A server that fails for one of them may know the
//    next; one that is silent would be silent again.
// #3 Tries are short and few. A question ends after `triesMax` tries at each server, at the latest.

import { Resolver } from "node:dns/promises";
import { isIPv4, isIPv6 } from "node:net";
import { sleep, type Time } from "@sluice/kernel";
import { NameFailure, type NameFailureReason, toNameFailure } from "./name-failure.ts";
import { expandName, type ResolvConf } from "./resolv-conf.ts";
import { addressesPerNameMax, type ResolvedAddress } from "./resolved-address.ts";

/** The first try is given this long, and later ones up to `tryMaxMs`; c-ares shortens it where servers are fast. */
const tryFirstMs = 1_000;
const tryMaxMs = 2_000;
const triesMax = 3;
const otherFamilyMaxMs = 200;
/** The server on this machine, where resolv.conf names none. */
const defaultServer = "127.0.0.1";

export interface NameAnswer {
  readonly addresses: readonly ResolvedAddress[];
  /** The least time to live of its records. */
  readonly ttlMs: number;
}

export interface NameQuestions {
  /** Rejects with NameFailure. */
  ask(name: string): Promise<NameAnswer>;
  /** Ends the questions under way. */
  cancel(): void;
}

interface FamilyAnswer extends NameAnswer {
  readonly failure: NameFailureReason | null;
}

/** `servers` are asked in place of those of `conf`; one without a port at `port`. */
export function createNameQuestions(time: Time, conf: ResolvConf, port: number, servers: readonly string[] | null): NameQuestions {
  const resolver = new Resolver({ timeout: tryFirstMs, tries: triesMax, maxTimeout: tryMaxMs });
  const machineServers = conf.servers.length === 0 ? [defaultServer] : conf.servers;
  resolver.setServers((servers ?? machineServers).map((server) => withPort(server, port)));

  async function askFamily(name: string, family: 4 | 6): Promise<FamilyAnswer> {
    try {
      const records = await (family === 4 ? resolver.resolve4(name, { ttl: true }) : resolver.resolve6(name, { ttl: true }));
      const addresses = records.slice(0, addressesPerNameMax).map(({ address }) => ({ address, family }));
      const ttlMs = Math.min(...records.map(({ ttl }) => ttl)) * 1_000;
      return { addresses, ttlMs, failure: records.length === 0 ? "ENODATA" : null };
    } catch (error) {
      return { ...noAddresses, failure: toNameFailure(error) };
    }
  }

  /** #1 */
  async function askFamilies(name: string): Promise<FamilyAnswer> {
    const asked = [askFamily(name, 4), askFamily(name, 6)];
    const first = await Promise.race(asked);
    const over = new AbortController();
    const late = first.failure === null ? sleep(time, otherFamilyMaxMs, over.signal).then(() => noAddresses) : null;
    const answers = await Promise.all(late === null ? asked : asked.map((one) => Promise.race([one, late])));
    over.abort();
    return joinFamilies(answers);
  }

  return {
    /** #2 */
    async ask(name) {
      let failure: NameFailureReason = "ENOTFOUND";
      for (const fullName of expandName(name, conf)) {
        const answer = await askFamilies(fullName);
        if (answer.failure === null) return answer;
        failure = worseOf(failure, answer.failure);
        if (answer.failure === "name-server-silent") break;
      }
      throw new NameFailure(failure);
    },
    cancel: () => resolver.cancel(),
  };
}

function withPort(server: string, port: number): string {
  if (isIPv6(server)) return `[${server}]:${port}`;
  return isIPv4(server) ? `${server}:${port}` : server;
}

const noAddresses: FamilyAnswer = { addresses: [], ttlMs: Infinity, failure: null };

function joinFamilies(answers: readonly FamilyAnswer[]): FamilyAnswer {
  const addresses = answers.flatMap((answer) => answer.addresses);
  const failures = answers.map(({ failure }) => failure).filter((failure) => failure !== null);
  return {
    addresses,
    ttlMs: Math.min(...answers.map(({ ttlMs }) => ttlMs)),
    failure: addresses.length > 0 ? null : failures.reduce(worseOf, "ENOTFOUND"),
  };
}

/** Only where every question was answered it is known that there is no address. */
const byCertainty: readonly NameFailureReason[] = ["ENOTFOUND", "ENODATA", "name-server-failed", "name-server-silent"];

function worseOf(one: NameFailureReason, other: NameFailureReason): NameFailureReason {
  return byCertainty.indexOf(other) > byCertainty.indexOf(one) ? other : one;
}
