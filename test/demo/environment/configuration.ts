// Renders the configuration file of a demo day and the environment variables that it refers to: a calendar in which
// every date is a working day, windows in whole seconds, the simulated banks and the connector.

import { createHash } from "node:crypto";
import { stringify } from "yaml";
import type { DemoBank, DemoTimes } from "../plan/day.ts";
import { timeIn } from "@sluice/environment";

const creditDeadlineLeastMs = 10_000;

export interface DemoBankAccess extends DemoBank {
  /** Address on which the simulated bank listens. */
  readonly url: string;
  /** Token that the bank sends to Sluice. */
  readonly token: string;
  /** Token that Sluice sends to the bank. */
  readonly sluiceToken: string;
}

export interface DemoConfiguration {
  readonly yaml: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Address and tokens of the connector. */
export interface DemoConnectorAccess {
  readonly id: string;
  readonly url: string;
  readonly token: string;
  readonly sluiceToken: string;
}

/** An operator with a token. */
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

interface DemoSecrecy {
  readonly consoleKey?: string | null;
  readonly isSealed?: boolean;
  readonly signIn?: object | null;
}

/**
 * `nowMs` sets the credit deadline, so that credits are due when the reconciliation window closes. `consoleKey` is the
 * public key of the console; null: operators' records are not signed. `isSealed`: personal data is sealed at rest.
 * `signIn`: where operators sign in; null: nowhere, they have their tokens alone.
 */
export function demoConfiguration(
  times: DemoTimes,
  { banks, connector, operators }: DemoParties,
  nowMs: number,
  { consoleKey = null, isSealed = false, signIn = null }: DemoSecrecy = {},
): DemoConfiguration {
  const local = (atMs: number): string => timeIn(times.zone, atMs);
  const yaml = stringify({
    version: "demo",
    environment: "demo",
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
    ...(consoleKey === null
      ? {}
      : { operatorSignatures: { requiredFrom: "2020-01-01T00:00:00Z", keys: [{ id: "console", publicKey: consoleKey }] } }),
    banks: banks.map((bank) => ({
      id: bank.id,
      name: bank.name,
      agents: [{ memberId: bank.branch, branchRanges: [[bank.branch, bank.branch]] }],
      tokenSha256: [sha256(bank.token)],
      baseUrl: bank.url,
      eventsUrl: bank.url,
      allowedAddresses: ["127.0.0.0/8"],
      bearerToken: `\${${tokenVariable(bank)}}`,
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
        bearerToken: `\${${tokenVariable(connector)}}`,
      },
    ],
    ...(signIn === null ? {} : { operatorSignIn: signIn }),
    operators: operators.map((operator) => {
      const { id, name, roles, token } = operator;
      const known = { id, name, roles, tokenSha256: [sha256(token)] };
      return signIn === null ? known : { ...known, subject: subjectOf(operator) };
    }),
    sealPersonalData: isSealed,
    resolutionNeedsSecondPerson: true,
    secondPerson: { actions: [] },
  });
  return { yaml, environment: Object.fromEntries([...banks, connector].map((party) => [tokenVariable(party), party.sluiceToken])) };
}

/** The operator's name at the provider. */
export function subjectOf({ id }: Pick<DemoOperator, "id">): string {
  return `demo-${id}`;
}

function sha256(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function tokenVariable(party: { readonly id: string }): string {
  return `DEMO_${party.id.toUpperCase()}_TOKEN`;
}
