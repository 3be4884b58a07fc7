// How kafkajs is set up: connection, time-outs, and its log lines in ours.
//
// #1 A request that is not answered in 5 s has failed (N): one hung leader must not stall a producer's lanes for half a minute.
// #2 Nothing of kafkajs's log fields is passed on but what is known to hold no secret and no record.
// #3 Topics are never made by use.

import kafkajs from "kafkajs";
import type { Kafka, LogEntry, SASLOptions } from "kafkajs";
import type { Log } from "@sluice/telemetry";
import "./kafkajs-repairs.ts";

export interface KafkaConnection {
  /** host:port, at least one. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly isTls?: boolean;
  readonly sasl?: { readonly mechanism: "scram-sha-256" | "scram-sha-512"; readonly username: string; readonly password: string };
}

export const requestTimeoutMs = 5000;
const connectionTimeoutMs = 3000;

/** Tries of one call inside kafkajs: three seconds when the broker is away, half a minute when it hangs. Then the call has failed. */
export const callRetry = { initialRetryTime: 100, maxRetryTime: 2000, factor: 0.2, multiplier: 2, retries: 5 };

/** A consumer's own loops go on for ever: its heartbeat age says how it fares. (F: kafkajs counts errors over a process's life.) */
export const consumerRetry = { ...callRetry, maxRetryTime: 1000, retries: Number.MAX_SAFE_INTEGER };

export function createKafkaClient(connection: KafkaConnection, log: Log): Kafka {
  return new kafkajs.Kafka({
    ...settingsOf(connection),
    logLevel: kafkajs.logLevel.INFO,
    logCreator: () => (entry) => pass(entry, log),
  });
}

/** What a client and a bare cluster have in common. */
export function settingsOf(connection: KafkaConnection) {
  return {
    brokers: [...connection.brokers],
    clientId: connection.clientId,
    ssl: connection.isTls ?? false,
    ...(connection.sasl !== undefined && { sasl: saslOf(connection.sasl) }),
    connectionTimeout: connectionTimeoutMs,
    requestTimeout: requestTimeoutMs,
    enforceRequestTimeout: true,
    retry: callRetry,
  };
}

function saslOf({ mechanism, username, password }: NonNullable<KafkaConnection["sasl"]>): SASLOptions {
  return mechanism === "scram-sha-256" ? { mechanism, username, password } : { mechanism, username, password };
}

const passed = ["groupId", "memberId", "broker", "clientId", "topic", "partition", "correlationId", "retryCount", "retryTime"];

/** kafkajs calls an error what it tries again by itself: a warning here. */
function pass({ level, namespace, log: entry }: LogEntry, log: Log): void {
  const fields: Record<string, string | number> = { namespace, message: entry.message };
  for (const name of passed) {
    const value: unknown = entry[name];
    if (typeof value === "string" || typeof value === "number") fields[name] = value;
  }
  // The tries of a producer are limited on purpose: after them it is thrown away.
  const isKnown = entry.message.startsWith("Limiting retries for the idempotent producer");
  if (level <= kafkajs.logLevel.WARN && !isKnown) log.warn("kafka.client", fields);
  else log.debug("kafka.client", fields);
}
