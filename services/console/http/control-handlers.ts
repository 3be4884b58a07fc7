// Maps every operation of the control API to the file that handles it. Addresses, roles and parameters are in
// `controlOperations` of contracts.

import type { BrokerClock, Producer } from "@sluice/messaging";
import type { AskProcesses, ServicePorts } from "@sluice/process";
import type { KeyService, SearchHashes } from "@sluice/secrecy";
import type { Store } from "@sluice/store";
import { createActionAppender } from "../decisions/append-action.ts";
import type { ControlHandlers } from "./control-handler.ts";
import { createControlQueries } from "../queries/control-queries.ts";
import type { KnownAsOf } from "../own-transactions/known-as-of.ts";
import { showAction } from "../queries/show-action.ts";
import { pauseBank, resumeBank } from "../decisions/pause-bank.ts";
import { skipStuckRecord } from "../dead-letters/skip-stuck-record.ts";
import { replayDeadLetter, replayTransaction } from "../dead-letters/replay-dead-letters.ts";
import { replaySeveral } from "../dead-letters/replay-several.ts";
import { extendClose } from "../decisions/extend-close.ts";
import { declareCreditsFinal } from "../decisions/declare-credits-final.ts";
import { openGate } from "../decisions/open-gate.ts";
import { confirmProposal } from "../proposals/confirm-proposal.ts";
import { rejectProposal, retractProposal } from "../proposals/end-proposal.ts";
import type { AlarmWatch } from "../outlook/alarms/watch-alarms.ts";
import type { Outlook } from "../outlook/outlook.ts";
import { listProposals } from "../proposals/list-proposals.ts";
import type { ProposalBook } from "../proposals/proposal-book.ts";
import { proposeDecisions, type DecisionHandlers } from "../proposals/propose-decision.ts";
import { checkBank } from "../banks/check-bank.ts";
import { checkOwnBank } from "../banks/own/check-own-bank.ts";
import { redriveBank } from "../banks/redrive-bank.ts";
import { noteItem } from "../decisions/note-item.ts";
import { eraseMonth } from "../decisions/erase-month.ts";
import { redriveDelivery } from "../decisions/redrive-delivery.ts";
import { stopDelivery } from "../decisions/stop-delivery.ts";
import { confirmResolution, rejectResolution, resolveItem } from "../decisions/resolve-item.ts";
import { confirmResolutions, pauseBanks, rejectResolutions, resolveItems, resumeBanks, withdrawDebits } from "../decisions/several.ts";
import { keepWithinSchemes } from "./within-schemes.ts";
import { withdrawDebit } from "../decisions/withdraw-debit.ts";

/** Everything that handlers depend on; each takes the part that it needs. */
export interface ControlHandlerPorts extends ServicePorts {
  readonly producer: Producer;
  readonly store: Store;
  readonly brokerClock: Pick<BrokerClock, "nowMs" | "observe">;
  readonly knownAsOf: KnownAsOf;
  readonly book: ProposalBook;
  readonly outlook: Outlook;
  readonly alarms: Pick<AlarmWatch, "read">;
  /** Null, or left out: there is none. */
  readonly keyService?: KeyService | null;
  readonly searchHashes?: SearchHashes | null;
  /** null, or left out: there is none. */
  readonly tracePage?: string | null;
  /** null, or left out: nobody said where the processes of the services are. */
  readonly askProcesses?: AskProcesses | null;
}

export function createControlHandlers(ports: ControlHandlerPorts): ControlHandlers {
  const acting = { ...ports, append: createActionAppender(ports) };
  const deciding: DecisionHandlers = {
    withdrawDebit: withdrawDebit(acting),
    withdrawDebits: withdrawDebits(acting),
    redriveDelivery: redriveDelivery(acting),
    stopDelivery: stopDelivery(acting),
    redriveBank: redriveBank(acting),
    extendClose: extendClose(acting),
    declareCreditsFinal: declareCreditsFinal(acting),
    openGate: openGate(acting),
    skipStuckRecord: skipStuckRecord(ports),
    replayDeadLetter: replayDeadLetter(ports),
    replayTransaction: replayTransaction(ports),
    replayDeadLetters: replaySeveral(ports),
    eraseMonth: eraseMonth({ ...ports, keyService: ports.keyService ?? null }),
  };
  return keepWithinSchemes(ports, {
    ...createControlQueries(ports),
    showAction: showAction({ ...ports, brokerNowMs: () => ports.brokerClock.nowMs() }),
    resolveItem: resolveItem(acting),
    confirmResolution: confirmResolution(acting),
    rejectResolution: rejectResolution(acting),
    noteItem: noteItem(acting),
    pauseBank: pauseBank(acting),
    resumeBank: resumeBank(acting),
    checkBank: checkBank(ports),
    checkOwnBank: checkOwnBank(ports, checkBank(ports)),
    resolveItems: resolveItems(acting),
    confirmResolutions: confirmResolutions(acting),
    rejectResolutions: rejectResolutions(acting),
    pauseBanks: pauseBanks(acting),
    resumeBanks: resumeBanks(acting),
    ...proposeDecisions(ports, deciding),
    confirmProposal: confirmProposal(ports, deciding),
    rejectProposal: rejectProposal(ports),
    retractProposal: retractProposal(ports),
    listProposals: listProposals(ports),
  });
}
