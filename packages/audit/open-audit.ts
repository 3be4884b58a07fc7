// The audit of one service: its chain, and the trail of who came. The producer is opened in the background, so that a
// service starts and answers also while the log is away.

import type { Random } from "@sluice/kernel";
import type { Messaging, OutgoingRecord, Producer } from "@sluice/messaging";
import { type AccessTrail, createAccessTrail } from "./access-trail.ts";
import { type AuditLog, type AuditLogPorts, createAuditLog } from "./audit-log.ts";
import type { AuditContent } from "./entry.ts";

export interface ServiceAudit {
  readonly log: AuditLog;
  readonly trail: AccessTrail;
  readonly producer: Pick<Producer, "send">;
  /** Notes a new configuration: its version and what it changes, in parts. */
  noteConfiguration(version: AuditContent, changes: readonly string[]): void;
  stop(): Promise<void>;
}

export interface ServiceAuditPorts extends Omit<AuditLogPorts, "producer"> {
  readonly messaging: Pick<Messaging, "producer">;
  readonly random: Random;
}

/** Changes of one entry, and of one configuration; what is beyond is only counted. */
const changesTogetherMax = 100;
const changesMax = 1_000;

export function openAudit(ports: ServiceAuditPorts, service: "ingress" | "console"): ServiceAudit {
  const producer = openLater(ports.messaging);
  const log = createAuditLog({ ...ports, producer }, service);
  const trail = createAccessTrail(ports, log);
  return {
    log,
    trail,
    producer,
    noteConfiguration(version, changes) {
      for (let from = 0; from < Math.min(changes.length, changesMax); from += changesTogetherMax) {
        log.note("configuration", { ...version, of: changes.length, changes: changes.slice(from, from + changesTogetherMax) });
      }
    },
    async stop() {
      trail.stop();
      await log.stop();
      await producer.close();
    },
  };
}

/** Opens the producer with the first record; a failure is that of the sending, and the next one tries again. */
function openLater(messaging: Pick<Messaging, "producer">) {
  let opening: Promise<Producer> | null = null;
  let opened: Producer | null = null;
  return {
    async send(records: readonly OutgoingRecord[]) {
      opening ??= messaging.producer("audit");
      try {
        opened = await opening;
      } catch (error) {
        opening = null;
        throw error;
      }
      return await opened.send(records);
    },
    async close(): Promise<void> {
      await opened?.close();
    },
  };
}
