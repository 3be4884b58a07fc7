// eraseMonth: two persons have the key of a bank's month destroyed. What its messages said of persons can then be read
// by nobody, wherever a copy of it lies.
//
// #1 It cannot be undone, so one person never decides it, whatever the configuration says.
// #2 Only a month that has been over for two days is erased: no message is sealed under its key any more.
// #3 Nothing that is still to be judged, read by people or delivered is erased: such a transaction has to end first.
// #4 The answer and the log have the bank, the month and a count. The decision is in the audit and in the proposals.

import { isUnresolved } from "@sluice/domain";
import type { Logger, Random, Time } from "@sluice/kernel";
import type { BrokerClock } from "@sluice/messaging";
import { isScope, type KeyService } from "@sluice/secrecy";
import type { Store, TransactionQuery } from "@sluice/store";
import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";
import { createDecisionHandler, refuseWith, wouldBeAppended } from "./decision.ts";

interface ErasePorts {
  readonly time: Time;
  readonly random: Random;
  readonly logger: Logger;
  readonly store: Pick<Store, "transactions" | "deliveries" | "postings">;
  readonly brokerClock: Pick<BrokerClock, "nowMs">;
  /** Null: there is none. */
  readonly keyService: KeyService | null;
}

/** Milliseconds for clocks that differ, and for messages that came at the very end. */
const afterMonthMs = 2 * 86_400_000;
const parkedPage = 1_000;

export function eraseMonth(ports: ErasePorts): ControlHandler {
  return createDecisionHandler(ports, "eraseMonth", async ({ body, action, question }) => {
    const { bank = "", month = "" } = question.path;
    const { keyService } = ports;
    const scope = `${bank}/${month}`;
    if (keyService === null) return refuse("no-key-service: this console has none.");
    const span = monthSpan(month);
    const nowMs = ports.brokerClock.nowMs();
    if (nowMs === null) return { kind: "unavailable", detail: "The time of the log is not known yet. Ask again." };
    if (!isScope(scope) || nowMs < span.untilMs + afterMonthMs) return refuse("not-over: the month has not been over for two days.");
    const found = await countTransactions(ports, bank, span);
    if (found.open > 0) return refuse(`unresolved: ${found.open} transactions of that month are unresolved or parked.`);
    const undelivered = await findUndelivered(ports, bank, span);
    if (undelivered !== null) return refuse(`undelivered: ${undelivered} of that month is not delivered.`);
    const isErased = (await keyService.list()).some((one) => one.scope === scope && one.isDestroyed);
    const answer = { schema: "Erasure", action: action.id, bank, month, transactions: found.all };
    if (body.isDryRun === true) return { kind: "found", body: { ...answer, isDryRun: true, isErased } };
    if (question.isCheckOnly === true) return wouldBeAppended;
    // #1
    if (question.confirmedBy === undefined) return refuse("one-person: erase must be among secondPerson.actions.");
    await keyService.destroy(scope);
    ports.logger.info("erasure.done", { scope, action: action.id, operator: action.operator, transactions: found.all });
    return { kind: "accepted", body: { ...answer, isDryRun: false, isErased: true } };
  });
}

interface Span {
  readonly fromMs: number;
  /** Not included. */
  readonly untilMs: number;
}

function monthSpan(month: string): Span {
  const fromMs = Date.parse(`${month}-01T00:00:00Z`);
  const next = new Date(fromMs);
  next.setUTCMonth(next.getUTCMonth() + 1);
  return { fromMs, untilMs: next.getTime() };
}

function refuse(detail: string): ControlAnswer {
  return refuseWith(409, "Not possible now", detail);
}

/** #3. Before its verdict an on-us debit has no bank yet, only a sender. */
async function countTransactions({ store }: ErasePorts, bank: string, { fromMs, untilMs }: Span) {
  const received = { receivedFromMs: fromMs, receivedToMs: untilMs - 1 };
  const count = async (query: TransactionQuery, isCounted: (state: string) => boolean): Promise<number> =>
    (await store.transactions.totals({ ...received, ...query })).reduce((sum, row) => sum + (isCounted(row.state) ? row.count : 0), 0);
  const [all, ofBank, ofSender, parkedOfBank, parkedOfSender] = await Promise.all([
    count({ bank }, () => true),
    count({ bank }, isUnresolved),
    count({ sender: bank }, isUnresolved),
    count({ bank, isQuarantined: true }, () => true),
    count({ sender: bank, isQuarantined: true }, () => true),
  ]);
  return { all, open: Math.max(ofBank, ofSender) + Math.max(parkedOfBank, parkedOfSender) };
}

/** #3. Returns the UETR of a message that waits or was refused, to anybody; null: there is none. */
async function findUndelivered({ store }: ErasePorts, bank: string, { fromMs, untilMs }: Span): Promise<string | null> {
  for (const parked of [store.deliveries, store.postings]) {
    let rows = await parked.listByReceiver(null, null, parkedPage);
    while (rows.length > 0) {
      const waiting = rows.filter(({ ended }) => ended !== "stopped").map(({ uetr }) => uetr);
      for (const { transaction } of (await store.transactions.load([...new Set(waiting)])).values()) {
        const isOfBank = transaction.bank === bank || transaction.message?.sender === bank;
        if (isOfBank && transaction.receivedAtMs >= fromMs && transaction.receivedAtMs < untilMs) return transaction.uetr;
      }
      rows = rows.length < parkedPage ? [] : await parked.listByReceiver(null, rows.at(-1) ?? null, parkedPage);
    }
  }
  return null;
}
