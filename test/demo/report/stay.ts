// What can be tried after the day, while everything is still up: three tasks in the console, with what the day left for
// them, and the people to sign in as.

import type { DemoEnvironment } from "../environment/demo-environment.ts";
import { plannedOutage } from "../plan/day.ts";

interface LeftByDay {
  readonly businessDate: string;
  /** UETR of the debit that is held. */
  readonly waiting: string;
  /** Items that nobody has resolved; fewer on a machine that was too slow for its day. */
  readonly openItems: number;
}

export function formatStay(
  { controlUrl, operators }: Pick<DemoEnvironment, "controlUrl" | "operators">,
  { businessDate, waiting, openItems }: LeftByDay,
): string {
  const [first, second] = operators;
  const { origin } = new URL(controlUrl);
  const { bank } = plannedOutage;
  const day = `ZA_EFT:${businessDate}`;
  return [
    `Everything stays up until Ctrl-C. The console: ${origin}/`,
    "",
    `  ${first?.name.padEnd(8)}  decides   token ${first?.token}`,
    `  ${second?.name.padEnd(8)}  confirms  token ${second?.token}`,
    "",
    "Three tasks to try there:",
    "",
    `  1. Find out why debit ${waiting} waits, and what comes next.`,
    `  2. Pause ${bank} for 30 minutes.`,
    `  3. Close the list of ${day}: ${openItems} items are open.`,
    `     ${first?.name} resolves them, and ${second?.name} confirms.`,
    "",
    "The same in another terminal:",
    "",
    `  export SLUICE_CONTROL_URL=${origin} SLUICE_OPERATOR_TOKEN=${first?.token}`,
    `  ./sluice tx ${waiting}`,
    `  ./sluice bank pause ${bank} --for 30m --reason TEXT`,
    `  ./sluice reconciliation list --day ${day}`,
    `  ./sluice conservation --day ${day}`,
  ].join("\n");
}
