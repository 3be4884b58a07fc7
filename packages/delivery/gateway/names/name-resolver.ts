// Resolves the names of receivers and proxies.
//
// hosts file → kept answer → one question to the name servers, for all who want the name
//
// #1 Nothing here uses the process's thread pool, in which the system's own resolver (getaddrinfo) waits: two names
//    whose servers are silent would stop every connection to every other receiver (I14).
// #2 A stale answer is used at once, and the name is asked for meanwhile. So nobody waits for a question about a name
//    that was ever known, until the answer is too old.
// #3 A question under way is shared. It goes on when those who wait for it have given up, and its answer is kept.

import type { Time } from "@sluice/kernel";
import { MachineNames, machineNamePaths, type MachineNamePaths } from "./machine-names.ts";
import { NameCache, nameCacheBounds, type NameCacheBounds } from "./name-cache.ts";
import { NameFailure, type NameFailureReason, toNameFailure } from "./name-failure.ts";
import { createNameQuestions, type NameAnswer, type NameQuestions } from "./name-questions.ts";
import type { NameReport } from "./name-report.ts";
import { canonicalName, type ResolvedAddress } from "./resolved-address.ts";

export interface NameResolverOptions {
  readonly time: Time;
  readonly report: NameReport;
  /** The machine's own files where they are not given. */
  readonly paths?: MachineNamePaths;
  /** Port of the name servers; 53 where it is not given. */
  readonly port?: number;
  /** Name servers in place of those of resolv.conf. */
  readonly servers?: readonly string[] | null;
  readonly bounds?: NameCacheBounds;
}

const nameServerPort = 53;

export class NameResolver {
  readonly #time: Time;
  readonly #report: NameReport;
  readonly #port: number;
  readonly #servers: readonly string[] | null;
  readonly #machine: MachineNames;
  readonly #cache: NameCache;
  readonly #asked = new Map<string, Promise<readonly ResolvedAddress[]>>();
  readonly #askedMax: number;
  #questions: NameQuestions | null = null;
  /** Questions that were put to servers which are not asked any more. */
  #earlier: NameQuestions | null = null;
  #isClosed = false;

  constructor({
    time,
    report,
    paths = machineNamePaths,
    port = nameServerPort,
    servers = null,
    bounds = nameCacheBounds,
  }: NameResolverOptions) {
    this.#time = time;
    this.#report = report;
    this.#port = port;
    this.#servers = servers;
    this.#machine = new MachineNames(paths);
    this.#cache = new NameCache(bounds);
    this.#askedMax = bounds.namesMax;
  }

  /** Resolves all addresses of a name, IPv4 first; rejects with NameFailure. */
  async resolve(hostname: string): Promise<readonly ResolvedAddress[]> {
    const nowMs = this.#time.monotonicMs();
    if (this.#machine.look(nowMs)) this.#changeServers(nowMs);
    const listed = this.#machine.hosts.get(canonicalName(hostname));
    if (listed !== undefined) return listed;
    const { addresses, failure, mustAsk } = this.#cache.find(hostname, nowMs);
    const asking = mustAsk ? this.#askOnce(hostname) : null;
    if (addresses !== null) return addresses;
    if (asking !== null) return asking;
    throw new NameFailure(failure ?? "ENOTFOUND");
  }

  /** Ends the questions under way. */
  close(): void {
    this.#isClosed = true;
    this.#earlier?.cancel();
    this.#questions?.cancel();
  }

  /** The questions under way are left to the servers that they were put to, until the servers change again. */
  #changeServers(nowMs: number): void {
    this.#earlier?.cancel();
    this.#earlier = this.#questions;
    this.#questions = null;
    this.#cache.expireAll(nowMs);
  }

  /** #3 */
  #askOnce(hostname: string): Promise<readonly ResolvedAddress[]> {
    const under = this.#asked.get(hostname);
    if (under !== undefined) return under;
    if (this.#asked.size >= this.#askedMax) return Promise.reject(new NameFailure("name-server-silent"));
    const asking = this.#ask(hostname).finally(() => this.#asked.delete(hostname));
    // Nobody may wait for it, where a stale answer is used.
    asking.catch(() => undefined);
    this.#asked.set(hostname, asking);
    return asking;
  }

  async #ask(hostname: string): Promise<readonly ResolvedAddress[]> {
    this.#questions ??= createNameQuestions(this.#time, this.#machine.resolvConf, this.#port, this.#servers);
    try {
      const answer = await this.#questions.ask(hostname);
      this.#keep(hostname, answer);
      return answer.addresses;
    } catch (error) {
      const failure = toNameFailure(error);
      this.#keepFailure(hostname, failure);
      throw new NameFailure(failure);
    }
  }

  #keep(hostname: string, { addresses, ttlMs }: NameAnswer): void {
    this.#cache.keepAddresses(hostname, addresses, ttlMs, this.#time.monotonicMs());
    this.#report.resolved(hostname);
  }

  #keepFailure(hostname: string, failure: NameFailureReason): void {
    if (this.#isClosed) return;
    const nowMs = this.#time.monotonicMs();
    this.#cache.keepFailure(hostname, failure, nowMs);
    this.#report.failed(hostname, failure, this.#cache.find(hostname, nowMs).addresses !== null);
  }
}
