// showTransaction: everything that happened to one transaction. The timeline is what `./sluice tx` prints; the
// answer adds what the transaction waits for, what could be decided about it, the items with evidence and resolutions,
// the operators' decisions, and whether the transaction is quarantined.

import type { Configuration } from "@sluice/config";
import { isSampled, readTraceparent } from "@sluice/kernel";
import { isPausedAt, type Quarantine, type Transaction } from "@sluice/domain";
import type { Store } from "@sluice/store";
import { readTimeline, type Timeline, type TimelinePorts } from "@sluice/timeline";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlHandler } from "../http/control-handler.ts";
import { decisionView } from "../views/control-values.ts";
import { listAllowedActions } from "../outlook/allowed-actions.ts";
import { findWaiting, type Waiting } from "../outlook/find-waiting.ts";
import { itemView } from "../views/item-view.ts";
import { explainReceiver, loadReceiverStatuses } from "../views/receiver-status.ts";
import { explainWait } from "./list-held.ts";

export interface TransactionPorts extends TimelinePorts {
  readonly store: Store;
  readonly configuration: Configuration;
  readonly brokerNowMs: () => number | null;
  /** Address of the page of a trace, with `{traceId}` in it; null: there is none. */
  readonly tracePage: string | null;
}

export function showTransaction(ports: TransactionPorts): ControlHandler {
  return async ({ operator, path: { uetr = "" } }) => {
    const timeline = await readTimeline(uetr, ports);
    if (timeline === null) {
      return { kind: "refused", status: 404, message: "Not known", detail: "Nothing is known of this UETR." };
    }
    const document = (await ports.store.transactions.load([uetr])).get(uetr) ?? null;
    const transaction = document?.transaction ?? null;
    const { messages } = timeline;
    const { configuration } = ports;
    const nowMs = ports.brokerNowMs();
    const { quarantined, items = [], decisions = [], carryOversMax = null } = transaction ?? {};
    const body = {
      schema: "Transaction",
      timeline,
      waiting: transaction === null ? null : await loadWaiting(ports, transaction, messages),
      actions: transaction === null ? [] : listAllowedActions({ transaction, messages, operator, configuration, nowMs }),
      items: items.map(itemView),
      decisions: decisions.map(decisionView),
      carryOversMax,
      quarantined: quarantineView(quarantined ?? null),
      trace: traceView(document?.traceparent ?? null, ports.tracePage),
    };
    return { kind: "found", body };
  };
}

function quarantineView(quarantined: Quarantine | null) {
  return quarantined === null
    ? null
    : { since: formatInstant(quarantined.sinceMs), offset: quarantined.offset, records: quarantined.records };
}

/** Null: its message had no trace, or is older than this. Of one that is not traced there is no page. */
function traceView(traceparent: string | null, page: string | null) {
  const place = traceparent === null ? null : readTraceparent(traceparent);
  if (place === null) return null;
  const isTraced = isSampled(traceparent);
  return { id: place.traceId, isTraced, url: isTraced && page !== null ? page.replaceAll("{traceId}", place.traceId) : null };
}

async function loadWaiting(
  { store, configuration, brokerNowMs }: TransactionPorts,
  transaction: Transaction,
  messages: Timeline["messages"],
): Promise<Waiting | null> {
  const nowMs = brokerNowMs();
  const { bank, scheme, businessDate, reconciliationDay, state } = transaction;
  const dayKey = scheme === null || businessDate === null ? null : `${scheme}:${businessDate}`;
  const keys = [dayKey, reconciliationDay].filter((key) => key !== null);
  const [days, { of, bankStates }] = await Promise.all([store.days.load(keys), loadReceiverStatuses({ store, configuration }, nowMs)]);
  const bankState = bankStates.get(bank ?? "") ?? null;
  const isPaused = bankState !== null && isPausedAt(bankState, nowMs ?? 0);
  const held = state === "HELD" && bank !== null ? await explainWait(store, { bank, day: days.get(dayKey ?? "") ?? null, isPaused }) : null;
  const closesAtMs = days.get(reconciliationDay ?? "")?.plan.reconciliationAtMs ?? null;
  const receiverOf = (id: string) => {
    const receiver = of(id);
    return { ...receiver, why: explainReceiver(receiver) };
  };
  return findWaiting({ transaction, messages, held, closesAtMs, receiverOf });
}
