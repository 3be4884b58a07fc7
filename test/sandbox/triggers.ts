// What `trigger` sends: a debit of each case of the test data, as the bank; and what a clearing house sends to the
// bank.

import type { Random, Time } from "@sluice/kernel";
import {
  buildCreditTransfer,
  buildDirectDebit,
  buildOffUsDebit,
  drawUetr,
  type MessageObject,
  type SendResult,
  type SimulatedBank,
  type SimulatedConnector,
} from "@sluice/testkit";
import { type AccountCase, accountCases, amountCases } from "./cases.ts";

interface TriggerPorts {
  readonly time: Time;
  readonly random: Random;
  readonly bank: SimulatedBank;
  readonly connector: SimulatedConnector;
}

export interface Trigger {
  readonly name: string;
  readonly does: string;
  send(ports: TriggerPorts, uetr: string): Promise<SendResult>;
}

export interface Triggered {
  readonly name: string;
  readonly uetr: string;
  readonly does: string;
  /** Null: no answer. */
  readonly status: number | null;
}

export const triggers: readonly Trigger[] = [
  ...amountCases.map(({ name, amount, does }): Trigger => ({
    name,
    does: `a debit of ${amount}, whose payer's side ${does}`,
    send: (ports, uetr) => ports.bank.sendDebit(buildDirectDebit({ ...common(ports, uetr), amount })),
  })),
  ...accountCases.map((one): Trigger => ({
    name: `account-${one.name}`,
    does: `a debit whose account ${one.does}`,
    send: (ports, uetr) => ports.bank.sendDebit(debitOf(ports, uetr, one)),
  })),
  {
    name: "off-us-debit",
    does: "a debit of another bank's customer, from the clearing house",
    send: (ports, uetr) => ports.connector.sendDebit(buildOffUsDebit(common(ports, uetr))),
  },
  {
    name: "credit",
    does: "a credit for one of your customers, from the clearing house",
    send: (ports, uetr) => ports.connector.sendCredit(buildCreditTransfer(common(ports, uetr))),
  },
];

export async function sendTrigger(ports: TriggerPorts, trigger: Trigger): Promise<Triggered> {
  const uetr = drawUetr(ports.random);
  const { status } = await trigger.send(ports, uetr);
  return { name: trigger.name, uetr, does: trigger.does, status };
}

function common({ time }: TriggerPorts, uetr: string) {
  return {
    uetr,
    messageIdentification: `SANDBOX-${uetr.slice(0, 13)}`,
    creationDateTime: new Date(time.nowMs()).toISOString(),
  };
}

function debitOf(ports: TriggerPorts, uetr: string, { account, branch, type }: AccountCase): MessageObject {
  const debit = buildDirectDebit({ ...common(ports, uetr), debtorBranch: branch });
  const identification = { schema: "GENERIC", value: account };
  return { ...debit, debtorAccount: { identification, currency: "ZAR", type: { schema: "CODE", value: type } } };
}
