// For tests of an operator of some schemes: the console's environment with a transaction, an item, decisions and a day
// of two schemes, a transaction of none, and an operator of each.

import { decideDay, type secondPersonActions } from "@sluice/domain";
import { sampleConnector, sampleOperator, sampleScheme } from "@sluice/testkit";
import { buildConsoleOrphan, changeTransaction, consoleStartAtMs } from "../console.fixture.ts";
import { openDecisionEnvironment, planOpenDay } from "../decisions/decisions.fixture.ts";
import { buildItem, buildOperatorAction, buildStoredTransaction, consoleUetrAt, saveTransactions } from "../queries/stored-data.fixture.ts";

export const [own, foreign, schemeless] = [consoleUetrAt(0), consoleUetrAt(1), consoleUetrAt(2)];
/** What only the other scheme's transaction and day, or a bank, have, or what names that scheme. */
export const canaries = ["ZA_RTC", foreign, "77777.70", "canary-message", "canary reason"];
/** The same for an operator of the other scheme. */
export const canariesOfOwn = ["ZA_EFT", own, "own reason"];
export const nobody = { actions: [], proposalLifetimeMs: 3_600_000 };
export const asOwn = { operator: "of-eft" } as const;
export const reason = "the clearing house called";

interface AskedSecondPerson {
  readonly actions: readonly (typeof secondPersonActions)[number][];
  readonly proposalLifetimeMs: number;
}

export function configureBoth(secondPerson: AskedSecondPerson, ofEft: readonly string[] = ["ZA_EFT"]) {
  return {
    secondPerson,
    schemes: [sampleScheme({ creditsFinal: "connector" }), sampleScheme({ id: "ZA_RTC", creditsFinal: "connector", takesDebits: true })],
    connectors: [sampleConnector({ schemes: ["ZA_EFT", "ZA_RTC"] })],
    operators: [
      sampleOperator(),
      sampleOperator({ id: "second-person" }),
      sampleOperator({ id: "of-eft", schemes: ofEft }),
      sampleOperator({ id: "of-rtc", schemes: ["ZA_RTC"] }),
    ],
  };
}

export async function openWithBoth(secondPerson: AskedSecondPerson = nobody) {
  const environment = await openDecisionEnvironment(configureBoth(secondPerson));
  const decided = (id: string, text: string) => ({
    offset: 1n,
    atMs: consoleStartAtMs,
    kind: "WithdrawalRequested" as const,
    action: buildOperatorAction({ id, reason: text }),
    result: "refused" as const,
    why: null,
  });
  await saveTransactions(environment, [
    buildStoredTransaction("HELD", 0, { items: [buildItem()], decisions: [decided("own-1", "own reason")] }),
    buildStoredTransaction("HELD", 1, {
      scheme: "ZA_RTC",
      amountTenThousandths: 777_777_000n,
      message: { sender: "first", messageIdentification: "canary-message", contentHash: "c", substanceHash: "s" },
      reconciliationDay: "ZA_RTC:2026-11-20",
      items: [buildItem({ day: "ZA_RTC:2026-11-20" })],
      decisions: [decided("canary-1", "canary reason")],
    }),
    changeTransaction(buildConsoleOrphan(), { uetr: schemeless }),
  ]);
  await environment.saveDay(planOpenDay());
  const { store, settled } = environment;
  const place = { offset: 1n, appendedAtMs: consoleStartAtMs };
  const { day } = decideDay("ZA_RTC:2026-11-20", null, planOpenDay({ scheme: "ZA_RTC" }), place);
  if (day === null) throw new Error("a day begins with its plan");
  const noted = { ...decided("canary-2", "canary reason"), kind: "CloseExtensionRequested" as const, bank: null, credits: [] };
  await settled(store.days.write({ ...day, decisions: [noted] }, 0));
  const paused = { ...decided("canary-3", "canary reason"), kind: "BankPauseRequested" as const };
  const bank = { bank: "first", version: 1, applied: 0n, isPaused: false, untilMs: null, since: null, pauses: 1, resumes: 1 };
  await settled(store.banks.write({ ...bank, markers: [], usedActions: [], decisions: [paused] }, 0));
  await environment.time.advance(5_000);
  return environment;
}
