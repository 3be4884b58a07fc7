// Appends off-us debits to the journal as ingress does: the same reader, the same record, the partition of the key. The
// services do the rest: the validator accepts the debits, and the scheduler holds them.

import { outgoingRecord, partitionCountDefault, partitionFor, readDirectDebit, type Serde, topics } from "@sluice/contracts";
import type { Messaging, OutgoingRecord } from "@sluice/messaging";
import type { Random, Time } from "@sluice/kernel";
import { encodeBody, validAccount, buildOffUsDebit, drawUetr } from "@sluice/testkit";
import { clearingConnectorId, type EnvironmentBank } from "@sluice/environment";

export interface FedDebit {
  readonly uetr: string;
  readonly bank: string;
  readonly partition: number;
  /** `receivedAt`, then UETR: the order of release within a partition and bank. */
  readonly queueKey: string;
}

export interface ReleaseFeedPorts {
  readonly messaging: Messaging;
  readonly serde: Serde;
  /** Most debits are for the first bank, so that its queue takes several pages; the rest are for the second. */
  readonly banks: readonly [EnvironmentBank, EnvironmentBank];
  readonly businessDate: string;
  readonly random: Random;
  readonly time: Time;
  /** Called before each chunk; resolves when more may come. */
  readonly ready: (fed: number) => Promise<void>;
  readonly signal: AbortSignal;
}

const chunkRecords = 1_000;
const smallBankEvery = 10;
/** Number of valid accounts; a bank has many debits on one account. */
const accountsMax = 500;

export async function feedDebits(count: number, ports: ReleaseFeedPorts): Promise<readonly FedDebit[]> {
  const { messaging, ready, signal } = ports;
  const accounts = Array.from({ length: Math.min(accountsMax, count) }, (_, index) => validAccount(index + 1));
  const producer = await messaging.producer("trial-feed");
  const fed: FedDebit[] = [];
  try {
    while (fed.length < count && !signal.aborted) {
      await ready(fed.length);
      const chunk = Array.from({ length: Math.min(chunkRecords, count - fed.length) }, (_, index) =>
        nextDebit(ports, fed.length + index, accounts),
      );
      await producer.send(chunk.map(({ record }) => record));
      for (const { debit } of chunk) fed.push(debit);
    }
  } finally {
    await producer.close();
  }
  return fed;
}

function nextDebit(
  { serde, banks, businessDate, random, time }: ReleaseFeedPorts,
  number: number,
  accounts: readonly string[],
): { readonly debit: FedDebit; readonly record: OutgoingRecord } {
  const { id: bank, branch } = banks[number % smallBankEvery === 0 ? 1 : 0];
  const uetr = drawUetr(random);
  const receivedAtMs = time.nowMs();
  const body = encodeBody(
    buildOffUsDebit({
      uetr,
      messageIdentification: `CLEARING-${String(number + 1).padStart(9, "0")}`,
      debtorBranch: branch,
      debtorAccount: accounts[number % accounts.length] ?? "",
      creationDateTime: new Date(receivedAtMs).toISOString(),
      members: { settlementDate: businessDate },
    }),
  );
  const reading = readDirectDebit(body);
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: debit, contentHash, substanceHash } = reading.read;
  const closes = { reconciliationDay: `ZA_EFT:${businessDate}`, closesAtMs: receivedAtMs + 36_000_000 };
  const value = { sender: clearingConnectorId, contentHash, substanceHash, receivedAtMs, ...closes, flow: "OFF_US", bank, debit };
  const record = outgoingRecord(
    serde,
    topics.journal,
    uetr,
    { name: "DirectDebitReceived", value },
    { partitionCount: partitionCountDefault },
  );
  const partition = partitionFor(new TextEncoder().encode(uetr), partitionCountDefault);
  return { debit: { uetr, bank, partition, queueKey: `${String(receivedAtMs).padStart(15, "0")}:${uetr}` }, record };
}
