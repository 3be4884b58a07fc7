// Debits from elsewhere, appended to the journal as ingress does: the same reading, the same record, the key's partition. What becomes of them is the
// services' work: the validator's verdict, and the scheduler that holds them.

import { lanesDefault, outgoingRecord, partitionOf, readDirectDebit, topics } from "@sluice/contracts";
import type { Serde } from "@sluice/contracts";
import type { Messaging, OutgoingRecord } from "@sluice/messaging";
import type { Random, Time } from "@sluice/runtime";
import { bodyOf, goodAccount, offUsDebit, uetrFrom } from "@sluice/testkit";
import type { WorldBank } from "../world/parties.ts";
import { connectorId } from "../world/parties.ts";

export interface FedDebit {
  readonly uetr: string;
  readonly bank: string;
  readonly lane: number;
  /** receivedAt, then UETR: the order of release within a lane and bank. */
  readonly queueKey: string;
}

export interface FeedPorts {
  readonly messaging: Messaging;
  readonly serde: Serde;
  /** Most debits are of the first one, so that its pages are cut; the rest of the second. */
  readonly banks: readonly [WorldBank, WorldBank];
  readonly businessDate: string;
  readonly random: Random;
  readonly time: Time;
  /** Asked before each chunk: resolves when more may come. */
  readonly ready: (fed: number) => Promise<void>;
  readonly signal: AbortSignal;
}

const chunkRecords = 1_000;
const smallBankEvery = 10;
/** Accounts that are known to be good; a bank has many debits on one account. */
const accountsMax = 500;

export async function feedDebits(count: number, ports: FeedPorts): Promise<readonly FedDebit[]> {
  const { messaging, ready, signal } = ports;
  const accounts = Array.from({ length: Math.min(accountsMax, count) }, (_, index) => goodAccount(index + 1));
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
  { serde, banks, businessDate, random, time }: FeedPorts,
  number: number,
  accounts: readonly string[],
): { readonly debit: FedDebit; readonly record: OutgoingRecord } {
  const { id: bank, branch } = banks[number % smallBankEvery === 0 ? 1 : 0];
  const uetr = uetrFrom(random);
  const receivedAtMs = time.nowMs();
  const body = bodyOf(
    offUsDebit({
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
  const closes = { closesWith: `ZA_EFT:${businessDate}`, closesAtMs: receivedAtMs + 36_000_000 };
  const value = { sender: connectorId, contentHash, substanceHash, receivedAtMs, ...closes, flow: "OFF_US", bank, debit };
  const record = outgoingRecord(serde, topics.journal, uetr, { name: "DirectDebitReceived", value }, { lanes: lanesDefault });
  const lane = partitionOf(new TextEncoder().encode(uetr), lanesDefault);
  return { debit: { uetr, bank, lane, queueKey: `${String(receivedAtMs).padStart(15, "0")}:${uetr}` }, record };
}
