// Seals the audit every minute: signs what was appended since the last seal. Each console does; the log says which
// seal counts.
//
// #1 A seal is made from what lies in the topic, never from memory: a console that starts goes on where the last seal
//    ended, also one of another console.
// #2 A seal that no known key signed, or that does not continue the last one, is passed over. It cannot make this
//    console stop, and a verifier names it.
// #3 What is read and kept is bounded: the entries of one seal. A console that finds more seals again at once, at most
//    `sealsTogetherMax` times.
// #4 A seal is made also where nothing was appended, so that the age of the last one shows a topic that was cut off.

import { outgoingRecord, type Serde, topics } from "@sluice/contracts";
import { formatReason, type Logger, type Metrics, type Time } from "@sluice/kernel";
import type { Messaging, Producer } from "@sluice/messaging";
import { auditKey, hashEntry } from "./entry.ts";
import { readAudit, readAuditEnds } from "./read-audit.ts";
import { type AuditKeys, type AuditLeaf, type AuditSeal, findSealProblem, hashSeal, leavesMax, signSeal } from "./seal.ts";

export interface SealerPorts {
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly messaging: Pick<Messaging, "ends" | "read">;
  readonly producer: Pick<Producer, "send">;
  readonly serde: Serde;
  readonly partitionCount: number;
  /** The keys of this moment; null: there are none, and nothing is sealed. */
  readonly keys: () => AuditKeys | null;
}

export const sealEveryMs = 60_000;
/** A seal of another console that is younger than this is enough. */
const sealFreshMs = 45_000;
const sealsTogetherMax = 64;
/** Records that a start reads first, from the end; if no seal is among them it reads further back. */
const tailRecords = 4_096n;

interface Sealed {
  /** The last seal that counts; null: none. */
  readonly last: { readonly sequence: bigint; readonly sha256: string; readonly sealedAtMs: number } | null;
  /** Up to where seals were read. */
  readonly position: bigint;
  /** First offset that may hold an entry without a seal. */
  readonly unsealedFrom: bigint;
}

export function startSealer(ports: SealerPorts): { stop(): void } {
  const { time, logger, metrics } = ports;
  const sealedAt = metrics.gauge("sluice_audit_sealed_at_seconds", "Unix time of the last seal of the audit that this console knows");
  sealedAt.set(0);
  let sealed: Sealed | null = null;
  const stopping = new AbortController();
  let timer = time.after(0, () => void run());

  async function run(): Promise<void> {
    try {
      await sealAll();
    } catch (error) {
      logger.warn("audit.not-sealed", { reason: formatReason(error) });
    }
    if (!stopping.signal.aborted) timer = time.after(sealEveryMs, () => void run());
  }

  async function sealAll(): Promise<void> {
    const keys = ports.keys();
    if (keys === null || keys.signer === null) {
      logger.warn("audit.not-sealed", { reason: "there is no key: SLUICE_AUDIT_KEY_FILE" });
      return;
    }
    for (let round = 0; round < sealsTogetherMax && !stopping.signal.aborted; round += 1) {
      sealed = await readSeals(ports, keys, sealed);
      sealedAt.set(Math.floor((sealed.last?.sealedAtMs ?? 0) / 1_000));
      const leaves = await readLeaves(ports, sealed);
      const ageMs = time.nowMs() - (sealed.last?.sealedAtMs ?? -Infinity);
      if (round === 0 && leaves.length < leavesMax && ageMs < sealFreshMs) return;
      const place = { sequence: (sealed.last?.sequence ?? 0n) + 1n, previousSha256: sealed.last?.sha256 ?? "" };
      const seal = signSeal({ ...place, sealedAtMs: Math.floor(time.nowMs()) }, leaves, keys.signer);
      await append(ports, seal);
      logger.info("audit.sealed", { sequence: seal.sequence, sha256: hashSeal(seal), entries: leaves.length, keyId: seal.keyId });
      if (leaves.length < leavesMax) return;
    }
  }

  return {
    stop() {
      stopping.abort();
      timer[Symbol.dispose]();
    },
  };
}

async function append({ producer, serde, partitionCount }: SealerPorts, value: AuditSeal): Promise<void> {
  await producer.send([outgoingRecord(serde, topics.audit, auditKey, { name: "AuditSeal", value }, { partitionCount })]);
}

/** #1 */
async function readSeals(ports: SealerPorts, keys: AuditKeys, before: Sealed | null): Promise<Sealed> {
  const { logStart, logEnd } = await readAuditEnds(ports);
  if (before !== null) return await readSealsFrom(ports, keys, before, logEnd);
  for (let records = tailRecords; ; records *= 8n) {
    const from = logEnd - records > logStart ? logEnd - records : logStart;
    const found = await readSealsFrom(ports, keys, { last: null, position: from, unsealedFrom: from }, logEnd);
    // A seal without leaves does not say which entry was sealed last.
    if (from === logStart || found.unsealedFrom > from) return found;
  }
}

async function readSealsFrom(ports: SealerPorts, keys: AuditKeys, before: Sealed, logEnd: bigint): Promise<Sealed> {
  let sealed = before;
  for await (const { offset, decoded } of readAudit(ports, before.position, logEnd)) {
    if (typeof decoded === "string" || decoded.name !== "AuditSeal") continue;
    const seal = decoded.value;
    if (findSealProblem(seal, keys) !== null || !continues(seal, sealed)) continue;
    const last = { sequence: seal.sequence, sha256: hashSeal(seal), sealedAtMs: seal.sealedAtMs };
    const lastLeaf = seal.leaves.at(-1);
    const leafAt = lastLeaf === undefined ? null : await findLeaf(ports, lastLeaf, sealed.unsealedFrom, offset);
    sealed = { ...sealed, last, unsealedFrom: leafAt === null ? sealed.unsealedFrom : leafAt + 1n };
  }
  return { ...sealed, position: logEnd };
}

/** #2: a start takes the first seal that it reads as it is. */
function continues({ sequence, previousSha256 }: AuditSeal, { last, position, unsealedFrom }: Sealed): boolean {
  if (last !== null) return sequence === last.sequence + 1n && previousSha256 === last.sha256;
  return sequence === 1n ? previousSha256 === "" : position > 0n && unsealedFrom > 0n;
}

async function findLeaf(ports: SealerPorts, leaf: AuditLeaf, from: bigint, to: bigint): Promise<bigint | null> {
  for await (const { offset, decoded } of readAudit(ports, from, to)) {
    if (typeof decoded === "string" || decoded.name !== "AuditEntry") continue;
    if (decoded.value.sequence === leaf.sequence && decoded.value.chain === leaf.chain && hashEntry(decoded.value) === leaf.sha256)
      return offset;
  }
  return null;
}

/** #3 */
async function readLeaves(ports: SealerPorts, { unsealedFrom, position }: Sealed): Promise<readonly AuditLeaf[]> {
  const leaves: AuditLeaf[] = [];
  for await (const { decoded } of readAudit(ports, unsealedFrom, position)) {
    if (typeof decoded === "string" || decoded.name !== "AuditEntry") continue;
    const { chain, sequence } = decoded.value;
    leaves.push({ chain, sequence, sha256: hashEntry(decoded.value) });
    if (leaves.length >= leavesMax) break;
  }
  return leaves;
}
