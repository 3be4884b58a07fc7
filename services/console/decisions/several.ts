// withdrawDebits, resolveItems, confirmResolutions, rejectResolutions, pauseBanks, resumeBanks: what the decision about
// one does, for each of several.

import type { OperatorAction } from "@sluice/contracts";
import { bankKey } from "@sluice/domain";
import type { ControlHandler } from "../http/control-handler.ts";
import type { DecisionPorts } from "./decision.ts";
import { decideOnSeveral } from "./decide-on-several.ts";
import { decideOnTransaction, type TransactionRecord } from "./decide-on-transaction.ts";
import { decideOnBank, type BankRecord } from "./pause-bank.ts";
import { parseMillisecond } from "./parse-millisecond.ts";
import { secondPersonFor } from "./resolve-item.ts";

export function withdrawDebits(ports: DecisionPorts): ControlHandler {
  return decideOnSeveral(ports, "withdrawDebits", ({ of }) =>
    of.map((uetr) => onTransaction(ports, uetr, uetr, (action) => ({ name: "WithdrawalRequested", value: { action } }))),
  );
}

export function resolveItems(ports: DecisionPorts): ControlHandler {
  return decideOnSeveral(ports, "resolveItems", ({ of, resolution }) =>
    of.map(({ uetr, day }) =>
      onTransaction(ports, uetr, `${uetr} ${day}`, (action) => ({
        name: "ItemResolutionRequested",
        value: { action, day, resolution, replacedBy: null, ...secondPersonFor(ports.configuration) },
      })),
    ),
  );
}

export function confirmResolutions(ports: DecisionPorts): ControlHandler {
  return decideOnSeveral(ports, "confirmResolutions", ({ of }) =>
    of.map(({ uetr, offset, contentSha256 }) =>
      onTransaction(ports, uetr, `${uetr} ${offset}`, (action) => ({
        name: "ItemResolutionConfirmed",
        value: { action, confirms: String(offset), proposalOffset: offset, proposalSha256: contentSha256 },
      })),
    ),
  );
}

export function rejectResolutions(ports: DecisionPorts): ControlHandler {
  return decideOnSeveral(ports, "rejectResolutions", ({ of }) =>
    of.map(({ uetr, offset, contentSha256 }) =>
      onTransaction(ports, uetr, `${uetr} ${offset}`, (action) => ({
        name: "ItemResolutionRejected",
        value: { action, proposalOffset: offset, proposalSha256: contentSha256 },
      })),
    ),
  );
}

export function pauseBanks(ports: DecisionPorts): ControlHandler {
  return decideOnSeveral(ports, "pauseBanks", ({ of, until }) => {
    const untilMs = until === null ? null : parseMillisecond(until);
    if (until !== null && untilMs === null) return "/until: whole milliseconds";
    return of.map((bank) => onBank(ports, bank, (action) => ({ name: "BankPauseRequested", value: { action, bank, untilMs } })));
  });
}

export function resumeBanks(ports: DecisionPorts): ControlHandler {
  return decideOnSeveral(ports, "resumeBanks", ({ of }) =>
    of.map((bank) => onBank(ports, bank, (action) => ({ name: "BankResumeRequested", value: { action, bank } }))),
  );
}

/** `name` tells it apart from the others of the decision. */
function onTransaction(ports: DecisionPorts, uetr: string, name: string, record: (action: OperatorAction) => TransactionRecord) {
  return {
    key: uetr,
    name,
    uetr,
    decide: (action: OperatorAction, isCheckOnly: boolean) =>
      decideOnTransaction(ports, { action, question: { path: { uetr }, isCheckOnly } }, record(action)),
  };
}

function onBank(ports: DecisionPorts, bank: string, record: (action: OperatorAction) => BankRecord) {
  return {
    key: bankKey(bank),
    name: bank,
    uetr: null,
    decide: (action: OperatorAction, isCheckOnly: boolean) => decideOnBank(ports, action, record(action), isCheckOnly),
  };
}
