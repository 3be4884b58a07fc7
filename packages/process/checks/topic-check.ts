// What a service requires of the broker before it starts.

import { topics } from "@sluice/contracts";
import type { KafkaSetting, ServiceEnvironment } from "@sluice/config";
import { Fault, type Logger } from "@sluice/kernel";
import { checkBroker, type KafkaConnection } from "@sluice/messaging";

/**
 * Rejects with the retryable Fault `process.topics-missing` that names them, because provisioning may still run; with
 * `messaging.unavailable` (retryable) or `messaging.not-spoken`. Topics that may lose records are said at each start.
 */
export async function requireTopics(
  connection: KafkaConnection,
  environment: Pick<ServiceEnvironment, KafkaSetting>,
  logger: Logger,
): Promise<void> {
  const { missing, unsafe } = await checkBroker(connection, Object.values(topics), logger);
  if (missing.length > 0) throw new Fault("process.topics-missing", `there is no topic ${missing.join(", ")}`, { isRetryable: true });
  if (environment.KAFKA_FEW_REPLICAS === "allowed") return;
  for (const problem of unsafe) logger.error("topics.unsafe", { problem });
}
