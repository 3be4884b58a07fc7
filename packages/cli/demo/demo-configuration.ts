// The configuration file of a demo day, and the environment that its references are taken from: a calendar in which every day works,
// windows in whole seconds, and a bank for each simulated one and the connector.

import { createHash } from "node:crypto";
import { stringify } from "yaml";
import type { DemoBank, DemoTimes } from "./demo-day.ts";
import { timeIn } from "./noon-zone.ts";

const creditDeadlineLeastMs = 10_000;

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

/** A person with a token of their own. */
export interface DemoOperator {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly ("read" | "act" | "approve")[];
  readonly token: string;
}

export interface DemoParties {
  readonly banks: readonly DemoBankAccess[];
  readonly connector: DemoConnectorAccess;
  readonly operators: readonly DemoOperator[];
}

/** `nowMs`: credits are due when the reconciliation window closes. */
export function demoConfiguration(times: DemoTimes, { banks, connector, operators }: DemoParties, nowMs: number): DemoConfiguration {
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
        creditDeadline: `${Math.max(creditDeadlineLeastMs, times.reconciliationAtMs - Math.floor(nowMs))}ms`,
      },
    ],
    banks: banks.map((bank) => ({
      id: bank.id,
      name: bank.name,
      agents: [{ memberId: bank.branch, branchRanges: [[bank.branch, bank.branch]] }],
      tokenSha256: [sha256(bank.token)],
      baseUrl: bank.url,
      eventsUrl: bank.url,
      allowedAddresses: ["127.0.0.0/8"],
      bearerToken: `\${${variableOf(bank)}}`,
      answerTimeout: `${bank.answerTimeoutMs}ms`,
    })),
    connectors: [
      {
        id: connector.id,
        name: "Clearing House",
        schemes: ["ZA_EFT"],
        tokenSha256: [sha256(connector.token)],
        baseUrl: connector.url,
        allowedAddresses: ["127.0.0.0/8"],
        bearerToken: `\${${variableOf(connector)}}`,
      },
    ],
    operators: operators.map(({ id, name, roles, token }) => ({ id, name, roles, tokenSha256: [sha256(token)] })),
    resolutionNeedsSecondPerson: true,
  });
  return { yaml, environment: Object.fromEntries([...banks, connector].map((party) => [variableOf(party), party.sluiceToken])) };
}

function sha256(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function variableOf(party: { readonly id: string }): string {
  return `DEMO_${party.id.toUpperCase()}_TOKEN`;
}
