// The configuration file of a demo day, and the environment that its references are taken from: a calendar in which every day works,
// windows in whole seconds, and a bank for each simulated one and the connector.

import { createHash } from "node:crypto";
import { stringify } from "yaml";
import type { DemoBank, DemoTimes } from "./demo-day.ts";
import { timeIn } from "./noon-zone.ts";

export interface DemoBankAccess extends DemoBank {
  /** Where the simulated bank listens. */
  readonly url: string;
  /** What it calls with. */
  readonly token: string;
  /** What it is called with. */
  readonly sluiceToken: string;
}

export interface DemoConfiguration {
  readonly yaml: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** How the connector is called, and what it calls with. */
export interface DemoConnectorAccess {
  readonly id: string;
  readonly url: string;
  readonly token: string;
  readonly sluiceToken: string;
}

export function demoConfiguration(times: DemoTimes, banks: readonly DemoBankAccess[], connector: DemoConnectorAccess): DemoConfiguration {
  const local = (atMs: number): string => timeIn(times.zone, atMs);
  const yaml = stringify({
    version: "demo",
    calendars: { demo: { version: "demo/1", zone: times.zone, workingDays: [1, 2, 3, 4, 5, 6, 7] } },
    schemes: [
      {
        id: "ZA_EFT",
        calendar: "demo",
        processing: [{ opens: local(times.opensAtMs), closes: local(times.closesAtMs) }],
        reconciliation: local(times.reconciliationAtMs),
        cutOff: `${times.cutOffMs}ms`,
      },
    ],
    banks: banks.map((bank) => ({
      id: bank.id,
      name: bank.name,
      agents: [{ memberId: bank.branch, branchRanges: [[bank.branch, bank.branch]] }],
      tokenSha256: [createHash("sha256").update(bank.token).digest("hex")],
      baseUrl: bank.url,
      eventsUrl: bank.url,
      bearerToken: `\${${variableOf(bank)}}`,
      answerTimeout: `${bank.answerTimeoutMs}ms`,
    })),
    connectors: [
      {
        id: connector.id,
        name: "Clearing House",
        schemes: ["ZA_EFT"],
        tokenSha256: [createHash("sha256").update(connector.token).digest("hex")],
        baseUrl: connector.url,
        bearerToken: `\${${variableOf(connector)}}`,
      },
    ],
  });
  return { yaml, environment: Object.fromEntries([...banks, connector].map((party) => [variableOf(party), party.sluiceToken])) };
}

function variableOf(party: { readonly id: string }): string {
  return `DEMO_${party.id.toUpperCase()}_TOKEN`;
}
