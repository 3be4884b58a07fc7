// Validator: every debit and credit of the journal gets a verdict, with all that is taken from configuration.
//
//   DirectDebitReceived      on-payment-received.ts   → AccountVerified
//   CreditTransferReceived   on-payment-received.ts   → AccountVerified
//
// Anything else in the journal is passed by its type header, undecoded.
//
// #1 It keeps nothing: the group's committed offset says where to go on. What lies above it may be judged twice.
// #2 Records of one UETR are judged in order, others side by side.

import type { RuleBook } from "@sluice/account-validation";
import type { Configuration } from "@sluice/config";
import { groups, topics } from "@sluice/contracts";
import type { Serde } from "@sluice/contracts";
import { createAsides, createKeyedLanes } from "@sluice/messaging";
import type { Messaging } from "@sluice/messaging";
import type { Random, Running, Time } from "@sluice/runtime";
import type { Log, Metrics } from "@sluice/telemetry";
import { isJudged, onPaymentReceived } from "./on-payment-received.ts";
import { validatorMetrics } from "./validator-metrics.ts";

export interface ValidatorPorts {
  readonly time: Time;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly messaging: Messaging;
  readonly serde: Serde;
  readonly configuration: Configuration;
  /** Account rules and their data, by date. */
  readonly rules: RuleBook;
  /** Partitions of the journal. */
  readonly lanes: number;
  /** The service cannot go on; the process must end. */
  fail(reason: unknown): void;
}

/** Of a lane. */
const runningMax = 64;
const bufferedRecordsMax = 2_000;

export async function startValidator(ports: ValidatorPorts): Promise<Running> {
  const { time, random, log, messaging } = ports;
  const producer = await messaging.producer("validator");
  const asides = createAsides({ messaging, serde: ports.serde, service: "validator" });
  const judging = { ...ports, producer, asides, metrics: validatorMetrics(ports.metrics) };
  const lanes = await createKeyedLanes({
    messaging,
    group: groups.validator,
    topic: topics.journal,
    runningMax,
    bufferedRecordsMax,
    time,
    random,
    log,
    failed: (reason) => ports.fail(reason),
    startAt: (_partition, _epoch, { committed, logStart }) => Promise.resolve(committed ?? logStart),
    read: (record) => ({ key: Buffer.from(record.key ?? []).toString("latin1"), content: null }),
    handle: async (record) => {
      if (isJudged(record)) await onPaymentReceived(record, judging);
    },
  });
  let stopped: Promise<void> | null = null;
  return {
    readiness: () => lanes.readiness(),
    stop() {
      stopped ??= lanes.stop().then(() => producer.close());
      return stopped;
    },
  };
}
