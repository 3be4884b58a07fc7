// Sets up kafkajs: its connection, its time-outs, and its log lines of our logger.
//
// #1 A request without an answer for 5 s has failed (N), because one hung leader must not stall a producer for half a
//    minute.
// #2 Only log fields of kafkajs that hold no secret and no record are passed on.
// #3 Using a topic never creates it.

import type { SecureContext } from "node:tls";
import kafkajs, { type Kafka, type LogEntry } from "kafkajs";
import type { Logger } from "@sluice/kernel";
import "./kafkajs/kafkajs-repairs.ts";
import { createMechanism, createSocketFactory, type KafkaLogin } from "./security.ts";

export interface KafkaConnection {
  /** Broker addresses as host:port, at least one. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** What a new connection makes TLS with; left out, connections are plain. */
  readonly tls?: () => SecureContext;
  /** Left out, nobody logs in. */
  readonly login?: KafkaLogin;
}

const requestTimeoutMs = 5000;
const connectionTimeoutMs = 3000;

/**
 * Retries of one call inside kafkajs. A call fails after three seconds if the broker is away, after half a minute if it
 * hangs.
 */
export const callRetry = { initialRetryTime: 100, maxRetryTime: 2000, factor: 0.2, multiplier: 2, retries: 5 };

/**
 * A consumer's loops retry for ever; its heartbeat age shows its health. (F: kafkajs counts errors over a process's
 * whole life.)
 */
export const consumerRetry = { ...callRetry, maxRetryTime: 1000, retries: Number.MAX_SAFE_INTEGER };

export function createKafkaClient(connection: KafkaConnection, logger: Logger): Kafka {
  return new kafkajs.Kafka({
    ...clientSettings(connection),
    logLevel: kafkajs.logLevel.INFO,
    logCreator: () => (entry) => forward(entry, logger),
  });
}

/** Returns the settings that a kafkajs client and a bare cluster share. */
export function clientSettings(connection: KafkaConnection) {
  return {
    brokers: [...connection.brokers],
    clientId: connection.clientId,
    socketFactory: createSocketFactory(connection.tls),
    ...(connection.login !== undefined && { sasl: createMechanism(connection.login) }),
    connectionTimeout: connectionTimeoutMs,
    requestTimeout: requestTimeoutMs,
    enforceRequestTimeout: true,
    retry: callRetry,
  };
}

const forwardedFields = ["groupId", "memberId", "broker", "clientId", "topic", "partition", "correlationId", "retryCount", "retryTime"];

function isLoading({ message, error }: LogEntry["log"]): boolean {
  return [message, error].some((text) => typeof text === "string" && /coordinator is (?:loading|not available)/.test(text));
}

const knownMessages = /^(?:Limiting retries for the idempotent producer|Restarting the consumer in|The group is rebalancing, re-joining)/;

/** kafkajs logs an error for what it retries by itself; here that is a warning. */
function forward({ level, namespace, log: entry }: LogEntry, logger: Logger): void {
  const fields: Record<string, string | number> = { namespace, message: entry.message };
  for (const name of forwardedFields) {
    const value: unknown = entry[name];
    if (typeof value === "string" || typeof value === "number") fields[name] = value;
  }
  // A producer's retries are limited on purpose: after the last one it is discarded. A broker that has just started
  // loads its coordinators, and who asks is answered a moment later. A crash is logged by itself before its restart,
  // and each join once it has ended (`consumer.joined`).
  const isKnown = knownMessages.test(entry.message) || isLoading(entry);
  if (level <= kafkajs.logLevel.WARN && !isKnown) logger.warn("kafka.client", fields);
  else logger.debug("kafka.client", fields);
}
