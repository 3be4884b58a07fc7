// The validator: every debit and credit of the journal gets a verdict, with all that is taken from the configuration.
//
//   DirectDebitReceived      on-payment-received.ts   → AccountVerified
//   CreditTransferReceived   on-payment-received.ts   → AccountVerified
//
// Any other record of the journal is skipped by its type header, undecoded.
//
// #1 The service keeps no state: the group's committed offset tells it where to go on. Records above it can be
//    validated twice.
// #2 Records of one UETR are validated in order, others concurrently.

import { ruleNames, type RuleBook } from "@sluice/account-validation";
import { createLiveConfiguration } from "@sluice/config";
import { groups, topics } from "@sluice/contracts";
import type { ConfiguredService, ServicePorts } from "@sluice/process";
import { createKeyedConsumer, createOperatorSkips, type ReceivedRecord } from "@sluice/messaging";
import { openOperatorJudge } from "@sluice/signatures";
import { isPaymentRecord, onPaymentReceived } from "./on-payment-received.ts";
import { validatorMetrics } from "./validator-metrics.ts";

export interface ValidatorPorts extends ServicePorts {
  /** The account rules and their data, by date. */
  readonly rules: RuleBook;
  /** Ends the process, because the service cannot go on. */
  fail(reason: unknown): void;
}

/** Handlers that may run at once in one partition; more did not raise the throughput. */
const runningMax = 64;
/** Records that one partition buffers at most. */
const bufferedRecordsMax = 2_000;

export async function startValidator(ports: ValidatorPorts): Promise<ConfiguredService> {
  const { time, random, logger, messaging } = ports;
  const producer = await messaging.producer("validator");
  const live = createLiveConfiguration(ports.configuration);
  const operators = openOperatorJudge({ ...ports, configuration: live.view }, "validator");
  const isValid = (letter: ReceivedRecord): boolean => operators.counts(letter, "DeadLetter");
  const operatorSkips = createOperatorSkips({ messaging, serde: ports.serde, service: "validator", isValid });
  const context = { ...ports, configuration: live.view, producer, operatorSkips, metrics: validatorMetrics(ports.metrics) };
  const partitionConsumer = await createKeyedConsumer({
    messaging,
    group: groups.validator,
    topic: topics.journal,
    runningMax,
    bufferedRecordsMax,
    time,
    random,
    logger,
    metrics: ports.metrics,
    operatorSkips,
    fail: (reason) => ports.fail(reason),
    startAt: (partition, _epoch, { committed, logStart, logEnd }) => {
      if (committed === null && logStart < logEnd) logger.warn("validator.offset-missing", { partition, from: logStart, to: logEnd });
      return Promise.resolve(committed ?? logStart);
    },
    read: (record) => ({ key: Buffer.from(record.key ?? []).toString("latin1"), content: null }),
    handle: async (record) => {
      if (record.skip !== undefined || isPaymentRecord(record)) await onPaymentReceived(record, context);
    },
  });
  showRules(ports);
  let stopped: Promise<void> | null = null;
  return {
    replaceConfiguration: (next) => live.replace(next),
    readiness: () => partitionConsumer.readiness(),
    stop() {
      stopped ??= partitionConsumer.stop().then(() => producer.close());
      return stopped;
    },
  };
}

/** So that the console can say which data each process checks accounts by. */
function showRules({ metrics, rules }: Pick<ValidatorPorts, "metrics" | "rules">): void {
  const help = "1, for each version of an account rule's data, with the dates from and to which it is in force";
  const gauge = metrics.gauge("sluice_account_rules", help, ["rule", "version", "from", "to"]);
  for (const rule of ruleNames) {
    for (const { version, effectiveFrom: from, effectiveTo } of rules[rule]) gauge.set(1, { rule, version, from, to: effectiveTo ?? "" });
  }
}
