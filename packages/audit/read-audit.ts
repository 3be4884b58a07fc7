// Reads the topic of the audit.

import { type AnyDecodedRecord, partitionFor, type Serde, topics } from "@sluice/contracts";
import { type Messaging, readOrLearn, requireCovered } from "@sluice/messaging";
import { auditKey } from "./entry.ts";

export interface ReadAuditPorts {
  readonly messaging: Pick<Messaging, "ends" | "read">;
  readonly serde: Pick<Serde, "decode" | "learn">;
  readonly partitionCount: number;
}

export interface AuditRecord {
  readonly offset: bigint;
  /** A text says why the record cannot be read. */
  readonly decoded: AnyDecodedRecord | string;
}

export async function readAuditEnds({ messaging, partitionCount }: ReadAuditPorts) {
  const [ends] = await messaging.ends([auditPlace(partitionCount)]);
  return ends ?? { logStart: 0n, logEnd: 0n };
}

/** Reads from `from` (inclusive) to `to` (exclusive). Rejects with a retryable Fault while log or registry are away. */
export async function* readAudit(
  { messaging, serde, partitionCount }: ReadAuditPorts,
  from: bigint,
  to: bigint,
): AsyncGenerator<AuditRecord> {
  const place = auditPlace(partitionCount);
  for await (const record of requireCovered(messaging.read(place, from, to), place, from, to)) {
    yield { offset: record.offset, decoded: await readOrLearn(record, serde) };
  }
}

/** The partition that holds all of it. */
function auditPlace(partitionCount: number) {
  return { topic: topics.audit, partition: partitionFor(Buffer.from(auditKey), partitionCount) };
}
