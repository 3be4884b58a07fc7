// The chain of one process: takes entries from its work and appends them to the topic, in order and in the background.
//
// #1 `note` never waits and never throws: taking messages is not slowed. At most `waitingMax` entries wait. While the
//    topic cannot be written further ones are lost; how many is counted, and is an entry itself as soon as one fits.
// #2 `record` resolves true only once the broker has acknowledged the entry, and false after `recordMaxMs`. What must
//    not happen without its entry waits for it.
// #3 One request is under way at a time, and what is not acknowledged is sent again with the same bytes until it is. So
//    the chain lies in the topic in its order; an entry may lie there twice, which a verifier can tell.

import { outgoingRecord, topics, type Serde } from "@sluice/contracts";
import { formatReason, type Logger, type Metrics, type Random, sleep, type Time } from "@sluice/kernel";
import type { OutgoingRecord, Producer } from "@sluice/messaging";
import { type AuditContent, type AuditEntry, type AuditKind, auditKey, formatContent, hashEntry } from "./entry.ts";

export interface AuditLogPorts {
  readonly time: Time;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly serde: Serde;
  readonly producer: Pick<Producer, "send">;
  readonly partitionCount: number;
}

export interface AuditLog {
  /** #1 */
  note(kind: AuditKind, content: AuditContent): void;
  /** #2 */
  record(kind: AuditKind, content: AuditContent): Promise<boolean>;
  /** Appends what waits, for a second at most. What comes later is not taken. */
  stop(): Promise<void>;
}

/** Entries. */
export const waitingMax = 2_048;
/** Entries of one request. */
export const sentTogetherMax = 64;
const recordMaxMs = 2_000;
const retryMs = 1_000;
const stopMaxMs = 1_000;
const chainBytes = 6;

interface Waiting {
  readonly outgoing: OutgoingRecord;
  readonly sent: () => void;
}

export function createAuditLog(ports: AuditLogPorts, service: "ingress" | "console"): AuditLog {
  return new ChainOfProcess(ports, `${service}-${ports.random.hex(chainBytes)}`);
}

class ChainOfProcess implements AuditLog {
  readonly #ports: AuditLogPorts;
  readonly #chain: string;
  readonly #stopping = new AbortController();
  readonly #count: { readonly entries: ReturnType<Metrics["counter"]>; readonly lost: ReturnType<Metrics["counter"]> };
  #sequence = 0n;
  #previousSha256 = "";
  #waiting: Waiting[] = [];
  #lost = 0;
  #isStopped = false;
  #sending: Promise<void> | null = null;

  constructor(ports: AuditLogPorts, chain: string) {
    this.#ports = ports;
    this.#chain = chain;
    const { metrics } = ports;
    this.#count = {
      entries: metrics.counter("sluice_audit_entries_total", "Entries of the audit", ["kind"]),
      lost: metrics.counter("sluice_audit_lost_total", "Entries of the audit that were lost while its topic could not be written"),
    };
    this.#count.lost.add({}, 0);
    const gauge = {
      name: "sluice_audit_waiting",
      help: "Entries of the audit that wait for its topic",
      kind: "gauge",
      labels: [],
    } as const;
    metrics.listed([gauge], () => [{ name: gauge.name, labels: {}, value: this.#waiting.length }]);
  }

  note(kind: AuditKind, content: AuditContent): void {
    this.#take(kind, content, () => {});
  }

  async record(kind: AuditKind, content: AuditContent): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    if (!this.#take(kind, content, () => resolve(true))) return false;
    using _timer = this.#ports.time.after(recordMaxMs, () => resolve(false));
    return await promise;
  }

  async stop(): Promise<void> {
    this.note("stopped", {});
    this.#isStopped = true;
    using _timer = this.#ports.time.after(stopMaxMs, () => this.#stopping.abort());
    await this.#sending;
  }

  #take(kind: AuditKind, content: AuditContent, sent: () => void): boolean {
    if (this.#isStopped) return false;
    if (this.#waiting.length >= waitingMax) {
      this.#lost += 1;
      this.#count.lost.add({});
      return false;
    }
    if (this.#lost > 0) this.#chainOn("lost", { count: this.#lost }, () => {});
    this.#lost = 0;
    this.#chainOn(kind, content, sent);
    this.#sending ??= this.#send().finally(() => (this.#sending = null));
    return true;
  }

  #chainOn(kind: AuditKind, content: AuditContent, sent: () => void): void {
    const { time, serde, partitionCount } = this.#ports;
    this.#sequence += 1n;
    const entry: AuditEntry = {
      chain: this.#chain,
      sequence: this.#sequence,
      previousSha256: this.#previousSha256,
      recordedAtMs: Math.floor(time.nowMs()),
      kind,
      content: formatContent(content),
    };
    this.#previousSha256 = hashEntry(entry);
    this.#count.entries.add({ kind });
    const record = { name: "AuditEntry", value: entry } as const;
    const outgoing = outgoingRecord(serde, topics.audit, auditKey, record, { partitionCount });
    this.#waiting.push({ outgoing, sent });
  }

  /** #3 */
  async #send(): Promise<void> {
    const { time, producer, logger } = this.#ports;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, sentTogetherMax);
      try {
        await producer.send(batch.map(({ outgoing }) => outgoing));
        this.#waiting = this.#waiting.slice(batch.length);
        for (const { sent } of batch) sent();
      } catch (error) {
        logger.warn("audit.not-written", { reason: formatReason(error), waiting: this.#waiting.length });
        if (this.#stopping.signal.aborted) return;
        await sleep(time, retryMs, this.#stopping.signal);
      }
    }
  }
}
