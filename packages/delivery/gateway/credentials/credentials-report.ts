// Reports to operators, by log lines and metrics, whether the credential files could be read.

import type { SecretFilesOptions } from "@sluice/connection";
import type { Logger, Metrics } from "@sluice/kernel";
import type { SecretsOwner } from "./credentials.ts";

export interface CredentialsReport extends Pick<SecretFilesOptions<SecretsOwner>, "read" | "notRead"> {
  certificateEnds(receiverId: string, atMs: number): void;
}

export function createCredentialsReport({ logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics }): CredentialsReport {
  const notRead = metrics.gauge("sluice_delivery_credentials_not_read", "Credential files of a receiver that are missing or wrong.", [
    "receiver",
  ]);
  const ends = metrics.gauge("sluice_delivery_certificate_ends_seconds", "When the client certificate expires, in Unix time.", [
    "receiver",
  ]);
  const wrong = new Map<string, Set<string>>();

  function count(receiverId: string, member: string, isWrong: boolean): void {
    const members = wrong.get(receiverId) ?? new Set();
    wrong.set(receiverId, members);
    if (isWrong) members.add(member);
    else members.delete(member);
    notRead.set(members.size, { receiver: receiverId });
  }

  return {
    read({ receiverId, member }) {
      count(receiverId, member, false);
      logger.info("credentials.read", { receiver: receiverId, member });
    },
    notRead({ receiverId, member }, reason) {
      count(receiverId, member, true);
      logger.error("credentials.not-read", { receiver: receiverId, member, reason });
    },
    certificateEnds: (receiverId, atMs) => ends.set(Math.floor(atMs / 1_000), { receiver: receiverId }),
  };
}
