// All verbs of `./sluice`, in the order in which a newcomer needs them. Each verb's file has its entry and its code.

import { calendarDiffVerb } from "./verbs/calendar/calendar-diff.ts";
import { calendarShowVerb } from "./verbs/calendar/calendar-show.ts";
import { checkVerb } from "./verbs/checking/check.ts";
import { generateVerb } from "./verbs/checking/generate.ts";
import { teethVerb } from "./verbs/checking/teeth.ts";
import { testVerb } from "./verbs/checking/test.ts";
import { deadLettersListVerb } from "./verbs/dead-letters/list.ts";
import { deadLettersSkipVerb } from "./verbs/dead-letters/skip.ts";
import { deadLettersReplayVerb } from "./verbs/dead-letters/replay.ts";
import { deadLettersShowVerb } from "./verbs/dead-letters/show.ts";
import {
  windowExtendVerb,
  windowCreditsFinalVerb,
  windowOpenGateVerb,
  bankPauseVerb,
  bankResumeVerb,
} from "./verbs/deciding/day-decisions.ts";
import { confirmVerb, proposalsVerb, rejectVerb, retractVerb } from "./verbs/deciding/proposals.ts";
import { withdrawVerb, redriveVerb, reconciliationResolveVerb, reconciliationConfirmVerb } from "./verbs/deciding/transaction-decisions.ts";
import { allVerb } from "./verbs/local/all.ts";
import { downVerb } from "./verbs/local/down.ts";
import { logsVerb } from "./verbs/local/logs.ts";
import { provisionVerb } from "./verbs/local/provision.ts";
import { rebuildVerb } from "./verbs/local/rebuild.ts";
import { sendVerb } from "./verbs/local/send.ts";
import { statusVerb } from "./verbs/local/status.ts";
import { txVerb } from "./verbs/local/tx.ts";
import { upVerb } from "./verbs/local/up.ts";
import { bankListVerb } from "./verbs/reading/bank-list.ts";
import { conservationVerb } from "./verbs/reading/conservation.ts";
import { failingVerb } from "./verbs/reading/failing.ts";
import { heldVerb } from "./verbs/reading/held.ts";
import { reconciliationExportVerb } from "./verbs/reading/reconciliation-export.ts";
import { reconciliationListVerb, reconciliationSummaryVerb } from "./verbs/reading/reconciliation-list.ts";
import { reconciliationShowVerb } from "./verbs/reading/reconciliation-show.ts";
import { searchVerb } from "./verbs/reading/search.ts";
import { undeliveredVerb } from "./verbs/reading/undelivered.ts";
import { windowsVerb, windowListVerb } from "./verbs/reading/windows.ts";
import { configCheckVerb } from "./verbs/rules/config-check.ts";
import { rulesCheckVerb } from "./verbs/rules/rules-check.ts";
import { rulesExplainVerb } from "./verbs/rules/rules-explain.ts";
import { rulesImportVerb } from "./verbs/rules/rules-import.ts";
import { rulesListVerb } from "./verbs/rules/rules-list.ts";
import { benchDeliveryVerb } from "./verbs/trials/bench-delivery.ts";
import { benchJourneysVerb } from "./verbs/trials/bench-journeys.ts";
import { demoVerb } from "./verbs/trials/demo.ts";
import { trialDeliveryVerb } from "./verbs/trials/trial-delivery.ts";
import { trialReleaseVerb } from "./verbs/trials/trial-release.ts";
import { trialWindowsVerb } from "./verbs/trials/trial-windows.ts";
import { completionVerb } from "./verbs/shell/completion.ts";
import { manVerb } from "./verbs/shell/man.ts";
import type { Verb } from "./terminal/verb.ts";

export const verbs: readonly Verb[] = [
  demoVerb,
  upVerb,
  downVerb,
  allVerb,
  statusVerb,
  logsVerb,
  sendVerb,
  txVerb,
  withdrawVerb,
  redriveVerb,
  reconciliationResolveVerb,
  reconciliationConfirmVerb,
  windowExtendVerb,
  windowCreditsFinalVerb,
  windowOpenGateVerb,
  bankPauseVerb,
  bankResumeVerb,
  proposalsVerb,
  confirmVerb,
  rejectVerb,
  retractVerb,
  deadLettersListVerb,
  deadLettersShowVerb,
  deadLettersSkipVerb,
  deadLettersReplayVerb,
  provisionVerb,
  rebuildVerb,
  generateVerb,
  checkVerb,
  testVerb,
  teethVerb,
  trialWindowsVerb,
  trialReleaseVerb,
  trialDeliveryVerb,
  benchDeliveryVerb,
  benchJourneysVerb,
  configCheckVerb,
  calendarShowVerb,
  calendarDiffVerb,
  rulesCheckVerb,
  rulesExplainVerb,
  rulesListVerb,
  rulesImportVerb,
  searchVerb,
  windowsVerb,
  windowListVerb,
  heldVerb,
  undeliveredVerb,
  failingVerb,
  reconciliationListVerb,
  reconciliationSummaryVerb,
  reconciliationShowVerb,
  reconciliationExportVerb,
  bankListVerb,
  conservationVerb,
  completionVerb,
  manVerb,
];
