// What can be tried after the day, while everything is still up.

import type { DemoEnvironment } from "../environment/demo-environment.ts";

export function formatStay({ controlUrl, operators }: Pick<DemoEnvironment, "controlUrl" | "operators">, businessDate: string): string {
  const [operator] = operators;
  const day = `ZA_EFT:${businessDate}`;
  return [
    "Everything stays up until Ctrl-C. In another terminal:",
    "",
    `  export SLUICE_CONTROL_URL=${new URL(controlUrl).origin} SLUICE_OPERATOR_TOKEN=${operator?.token ?? ""}`,
    "  ./sluice status",
    `  ./sluice windows --from ${businessDate} --to ${businessDate}`,
    `  ./sluice reconciliation list --day ${day}`,
    "  ./sluice search --bank kudu --state RECONCILIATION   # then ./sluice tx UETR",
    `  ./sluice conservation --day ${day}`,
  ].join("\n");
}
