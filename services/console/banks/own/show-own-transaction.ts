// showOwnTransaction: one transaction of a bank's own, and the states that it has been through.
//
// #1 Another bank's transaction is answered like one that does not exist, in the same way and time (`look-up.ts`).

import type { Store } from "@sluice/store";
import { refuseWith } from "../../decisions/decision.ts";
import { formatInstant } from "../../http/bank-answer.ts";
import type { ControlHandler } from "../../http/control-handler.ts";
import type { KnownAsOf } from "../../own-transactions/known-as-of.ts";
import { lookUp } from "../../own-transactions/look-up.ts";
import { ownTransactionView } from "./own-transaction-view.ts";

interface OwnTransactionPorts {
  readonly store: Pick<Store, "transactions">;
  readonly knownAsOf: KnownAsOf;
}

export function showOwnTransaction(ports: OwnTransactionPorts): ControlHandler {
  return async ({ path }) => {
    const [bank, uetr] = [path["bank"] ?? "", path["uetr"] ?? ""];
    const found = await lookUp({ caller: { id: bank }, uetr }, ports);
    if (found.kind === "not-known") return refuseWith(404, "Not known", "Nothing is known of this UETR.");
    if (found.kind !== "own") return { kind: "unavailable", detail: found.kind === "unavailable" ? found.detail : notAnswered };
    const [row] = await ports.store.transactions.search({ uetr }, null, 1);
    if (row === undefined || row.flow === null) return refuseWith(404, "Not known", "Nothing is known of this UETR.");
    const states = found.own.transaction.transitions.map(({ state, stageVersion, atMs }) => ({
      state,
      stageVersion,
      at: formatInstant(atMs),
    }));
    return { kind: "found", body: { schema: "OwnTransaction", bank, ...ownTransactionView(row, bank), states } };
  };
}

const notAnswered = "The question could not be answered. Ask again.";
