// Verifies a release trial by the journal and by what the banks received.
//
// #1 Every debit that was fed has exactly one release. In each partition no release is outside the window or before the
//    gate opened.
// #2 Per partition and bank, releases are in the order of their queue keys.
// #3 Every debit reached its own bank under one identification and was acknowledged. Nothing else reached a bank.

import { headers, partitionCountDefault, type Serde, topics } from "@sluice/contracts";
import { type Messaging, type ReceivedRecord, requireCovered } from "@sluice/messaging";
import type { FedDebit } from "./feed.ts";
import type { ReleaseRecorder } from "./recorder.ts";

export interface ReleaseEvidence {
  readonly fed: readonly FedDebit[];
  readonly recorder: ReleaseRecorder;
  readonly messaging: Messaging;
  readonly serde: Serde;
}

export interface ReleaseVerdict {
  readonly problems: readonly string[];
  readonly counts: { readonly releases: number; readonly outOfOrder: number; readonly twice: number; readonly repeatedAttempts: number };
}

const problemsMax = 20;
const utf8 = new TextDecoder();

export async function verifyReleases({ fed, recorder, messaging, serde }: ReleaseEvidence): Promise<ReleaseVerdict> {
  const problems: string[] = [];
  const counts = { releases: 0, outOfOrder: 0, twice: 0, repeatedAttempts: recorder.repeats() };
  const byUetr = new Map(fed.map((debit) => [debit.uetr, debit]));
  const note = (text: string): void => {
    if (problems.length < problemsMax) problems.push(text);
  };
  const released = new Set<string>();
  const partitions = Array.from({ length: partitionCountDefault }, (_, partition) => ({ topic: topics.journal, partition }));
  for (const [partition, { logEnd }] of (await messaging.ends(partitions)).entries()) {
    if (logEnd === 0n) continue;
    const latest = new Map<string, string>();
    let isOpen = false;
    let isGateOpen = false;
    const place = { topic: topics.journal, partition };
    for await (const record of requireCovered(messaging.read(place, 0n, logEnd), place, 0n, logEnd)) {
      const type = record.headers[headers.type];
      if (type === "WindowOpened") isOpen = true;
      if (type === "WindowClosed") isOpen = false;
      if (type === "GateOpened") isGateOpen = true;
      if (type !== "Release") continue;
      counts.releases += 1;
      const { uetr, bank } = decodeRelease(record, serde);
      const debit = byUetr.get(uetr);
      if (debit === undefined) note(`partition ${partition}, offset ${record.offset}: ${uetr} was released, which was never received`);
      if (!isOpen || !isGateOpen) note(`partition ${partition}, offset ${record.offset}: released outside the window or before its gate`);
      if (released.has(uetr)) {
        counts.twice += 1;
        note(`partition ${partition}, offset ${record.offset}: ${uetr} was released a second time`);
        continue;
      }
      released.add(uetr);
      const queueKey = debit?.queueKey ?? "";
      if (queueKey < (latest.get(bank) ?? "")) {
        counts.outOfOrder += 1;
        note(`partition ${partition}, offset ${record.offset}: ${queueKey} was released after ${latest.get(bank)}`);
      }
      latest.set(bank, queueKey);
    }
  }
  const unreleased = fed.filter(({ uetr }) => !released.has(uetr)).length;
  if (unreleased > 0) problems.push(`${unreleased} of ${fed.length} debits were not released`);
  return { problems: [...problems, ...recorder.problems(fed)], counts };
}

function decodeRelease(record: ReceivedRecord, serde: Serde): { readonly uetr: string; readonly bank: string } {
  const decoded = serde.decode(record.value ?? new Uint8Array());
  return { uetr: utf8.decode(record.key ?? new Uint8Array()), bank: decoded.name === "Release" ? decoded.value.bank : "" };
}
