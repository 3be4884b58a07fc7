// Reports to operators, by log lines and metrics, whether the credential files could be read.
//
// #1 The metrics show the `receiversShownMax` receivers with most wrong files, and as many whose certificates end
//    first. The others are counted.

import type { SecretFilesOptions } from "@sluice/connection";
import { findLargest, type ListedMetric, type ListedSample, type Logger, type Metrics } from "@sluice/kernel";
import type { SecretsOwner } from "./credentials.ts";

export interface CredentialsReport extends Pick<SecretFilesOptions<SecretsOwner>, "read" | "notRead"> {
  certificateEnds(receiverId: string, atMs: number): void;
  /** Forgets a receiver that left the configuration, or whose credentials are others now. */
  forget(receiverId: string): void;
}

const receiversShownMax = 50;

const notReadMetric = listed("sluice_delivery_credentials_not_read", "Credential files of a receiver that are missing or wrong.");
const endsMetric = listed("sluice_delivery_certificate_ends_timestamp_seconds", "When the client certificate expires, in Unix time.");
const leftOutMetric: ListedMetric = {
  ...listed("sluice_delivery_credentials_left_out_receivers", "Receivers with wrong credential files that have no series of their own."),
  labels: [],
};

function listed(name: string, help: string): ListedMetric {
  return { name, help, kind: "gauge", labels: ["receiver"] };
}

export function createCredentialsReport({ logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics }): CredentialsReport {
  /** The wrong members by receiver, without receivers that have none. */
  const wrong = new Map<string, Set<string>>();
  const endsAtMs = new Map<string, number>();

  metrics.listed([notReadMetric, endsMetric, leftOutMetric], () => [
    ...samples(notReadMetric, findLargest(countsOf(wrong), receiversShownMax)),
    ...samples(
      endsMetric,
      findLargest(negated(endsAtMs), receiversShownMax).map(([receiver, atMs]) => [receiver, Math.floor(-atMs / 1_000)] as const),
    ),
    { name: leftOutMetric.name, labels: {}, value: Math.max(0, wrong.size - receiversShownMax) },
  ]);

  return {
    read({ receiverId, member }) {
      const members = wrong.get(receiverId);
      members?.delete(member);
      if (members?.size === 0) wrong.delete(receiverId);
      logger.info("credentials.read", { receiver: receiverId, member });
    },
    notRead({ receiverId, member }, reason) {
      wrong.set(receiverId, (wrong.get(receiverId) ?? new Set()).add(member));
      logger.error("credentials.not-read", { receiver: receiverId, member, reason });
    },
    certificateEnds: (receiverId, atMs) => void endsAtMs.set(receiverId, atMs),
    forget(receiverId) {
      wrong.delete(receiverId);
      endsAtMs.delete(receiverId);
    },
  };
}

function* countsOf(wrong: ReadonlyMap<string, ReadonlySet<string>>): Iterable<readonly [string, number]> {
  for (const [receiver, members] of wrong) yield [receiver, members.size];
}

/** The earliest of the times become the largest values. */
function* negated(timesMs: ReadonlyMap<string, number>): Iterable<readonly [string, number]> {
  for (const [receiver, atMs] of timesMs) yield [receiver, -atMs];
}

function samples({ name }: ListedMetric, values: readonly (readonly [string, number])[]): readonly ListedSample[] {
  return values.map(([receiver, value]) => ({ name, labels: { receiver }, value }));
}
