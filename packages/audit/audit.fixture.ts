// For tests: an audit over a memory broker under a virtual clock, and its records as they lie in the topic.

import { generateKeyPairSync } from "node:crypto";
import { createFixedSerde, partitionFor, topics } from "@sluice/contracts";
import { silentLogger, silentMetrics } from "@sluice/kernel";
import { createMemoryBroker } from "@sluice/messaging";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { createAuditLog } from "./audit-log.ts";
import { type AuditEntry, auditKey } from "./entry.ts";
import { readAuditKeys, type AuditSeal } from "./seal.ts";
import { startSealer } from "./sealer.ts";
import { createAuditVerifier, type KeptSeal } from "./verify.ts";

export const auditStartAtMs = Date.UTC(2026, 10, 20, 6);
const partitionCount = 3;

/** A record as it lies in the topic, at the offset that its place in the list gives it. */
export type LyingRecord =
  | { readonly name: "AuditEntry"; readonly value: AuditEntry }
  | { readonly name: "AuditSeal"; readonly value: AuditSeal };

export function createAuditKeys() {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  const publicPem = publicKey.export({ type: "spki", format: "pem" });
  return { pem, publicPem, keys: readAuditKeys(pem) };
}

export async function openAudit({ pem, keys } = createAuditKeys()) {
  const time = createVirtualTime({ startAtMs: auditStartAtMs });
  const serde = createFixedSerde();
  const messaging = createMemoryBroker({ time, random: seededRandom("log"), topics: { [topics.audit]: partitionCount } });
  const lines: string[] = [];
  const logger = { ...silentLogger, warn: (event: string) => void lines.push(event) };
  const shared = { time, random: seededRandom("audit"), logger, metrics: silentMetrics, messaging, serde, partitionCount };

  const settled = time.finish;

  const producer = await settled(messaging.producer("audit"));
  const place = { topic: topics.audit, partition: partitionFor(auditKey, partitionCount) };
  return {
    ...shared,
    settled,
    lines,
    pem,
    keys,
    open: (service: "ingress" | "console") => createAuditLog({ ...shared, producer }, service),
    startSealer: (known: () => typeof keys | null = () => keys) => startSealer({ ...shared, producer, keys: known }),
    /** Everything that lies in the topic. */
    records: (): readonly LyingRecord[] =>
      messaging.records(place).map(({ value }) => {
        const decoded = serde.decode(value!);
        if (decoded.name === "AuditEntry" || decoded.name === "AuditSeal") return decoded;
        throw new Error(`${decoded.name} in the topic of the audit`);
      }),
  };
}

/** A day with two processes and three seals; six entries of each process, the last two of them without a seal. */
export async function playAudit() {
  const audit = await openAudit();
  const [ingress, console] = [audit.open("ingress"), audit.open("console")];
  const sealer = audit.startSealer();
  await audit.time.advance(1_000);
  for (let minute = 0; minute < 2; minute += 1) {
    for (let number = 0; number < 2; number += 1) {
      ingress.note("sign-in", { caller: "first", number });
      console.note("read", { operator: "person", number });
      await audit.time.advance(1_000);
    }
    await audit.time.advance(60_000);
  }
  sealer.stop();
  for (let number = 0; number < 2; number += 1) {
    ingress.note("refused", { status: 401, number });
    console.note("decision", { operator: "person", number });
    await audit.time.advance(1_000);
  }
  return { ...audit, played: audit.records() };
}

/** Verifies records as if they lay in the topic in this order. */
export function verifyRecords(
  records: readonly LyingRecord[],
  keys: ReturnType<typeof createAuditKeys>["keys"],
  { kept = [], nowMs = null }: { readonly kept?: readonly KeptSeal[]; readonly nowMs?: number | null } = {},
) {
  const verifier = createAuditVerifier(keys, kept);
  for (const [offset, { name, value }] of records.entries()) {
    if (name === "AuditEntry") verifier.takeEntry(value, BigInt(offset));
    else verifier.takeSeal(value, BigInt(offset));
  }
  return verifier.report(nowMs);
}

/** The problems in short: kind, chain without its random part, number. */
export function nameProblems(report: ReturnType<typeof verifyRecords>): readonly string[] {
  return report.problems.map(({ kind, chain, sequence }) => `${kind} ${chain.replace(/-[0-9a-f]+$/, "")} ${sequence}`);
}
