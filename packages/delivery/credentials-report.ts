// What people hear of the files that prove who we are.

import type { Log, Metrics } from "@sluice/telemetry";
import type { SecretFilesOptions } from "./secret-files.ts";

export interface CredentialsReport extends Pick<SecretFilesOptions, "read" | "notRead"> {
  certificateEnds(bank: string, atMs: number): void;
}

export function credentialsReport({ log, metrics }: { readonly log: Log; readonly metrics: Metrics }): CredentialsReport {
  const notRead = metrics.gauge("sluice_delivery_credentials_not_read", "Members of a receiver whose files are missing or wrong.", [
    "bank",
  ]);
  const ends = metrics.gauge("sluice_delivery_certificate_ends_seconds", "When the client certificate ends, Unix time.", ["bank"]);
  const wrong = new Map<string, Set<string>>();

  function count(bank: string, member: string, isWrong: boolean): void {
    const members = wrong.get(bank) ?? new Set();
    wrong.set(bank, members);
    if (isWrong) members.add(member);
    else members.delete(member);
    notRead.set(members.size, { bank });
  }

  return {
    read({ bank, member }) {
      count(bank, member, false);
      log.info("credentials.read", { bank, member });
    },
    notRead({ bank, member }, reason) {
      count(bank, member, true);
      log.error("credentials.not-read", { bank, member, reason });
    },
    certificateEnds: (bank, atMs) => ends.set(Math.floor(atMs / 1_000), { bank }),
  };
}
