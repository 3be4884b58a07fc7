// What a service requires of the broker before it starts.

import { type BrokerService, brokerTopicsOf } from "@sluice/contracts";
import type { KafkaSetting, ServiceEnvironment } from "@sluice/config";
import { Fault, type Logger } from "@sluice/kernel";
import { checkBroker, type KafkaConnection } from "@sluice/messaging";

/**
 * Rejects with the retryable Fault `process.topics-missing` that names them, because provisioning may still run; with
 * `messaging.unavailable` (retryable) or `messaging.not-spoken`. Topics that may lose what the service writes are said
 * at each start. A topic that the service has no right to is missing to it.
 */
export async function requireTopics(
  connection: KafkaConnection,
  service: BrokerService,
  environment: Pick<ServiceEnvironment, KafkaSetting>,
  logger: Logger,
): Promise<void> {
  const { all, writes } = brokerTopicsOf(service);
  const { missing, unsafe } = await checkBroker(connection, { needed: all, written: writes }, logger);
  if (missing.length > 0) {
    throw new Fault("process.topics-missing", `there is no topic ${missing.join(", ")}, or no right to it`, { isRetryable: true });
  }
  if (environment.KAFKA_FEW_REPLICAS === "allowed") return;
  for (const problem of unsafe) logger.error("topics.unsafe", { problem });
}
