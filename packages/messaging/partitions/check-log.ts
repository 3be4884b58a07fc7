// Ties a position to the topic in which it counts. A cluster that was lost and set up again, or a topic that was
// created again, has other records at the same offsets: a reader that went on there would skip some silently.

import { Fault } from "@sluice/kernel";
import type { LogIdentity } from "../port.ts";

/** Rejects with a Fault if a position that was written for `noted` is about to be used in `found`. */
export function requireSameLog(noted: LogIdentity | null, found: LogIdentity, topic: string): void {
  if (noted === null || (noted.clusterId === found.clusterId && noted.topicId === found.topicId)) return;
  const [was, is] = [noted, found].map(({ clusterId, topicId }) => `topic ${topicId} of cluster ${clusterId}`);
  // Retryable: the process waits, not ready, and goes on by itself once the right topic is there.
  throw new Fault("messaging.another-log", `the position counts in ${was}; ${topic} is now ${is}`, { isRetryable: true });
}
