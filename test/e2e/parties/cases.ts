// Keeps the transactions of an environment by flow, name and bank. A transaction is created when it is first requested,
// and submitted as its sender would.

import type { SendResult } from "@sluice/testkit";
import { expect } from "vitest";
import { createCase, type E2eCase, type E2eCaseOptions, type FlowName, reportOnCase, submitCase } from "./flows.ts";
import type { E2eEnvironment, EnvironmentBank } from "../environment/environment.ts";

type ReportOptions = Parameters<typeof reportOnCase>[2];

export interface Cases {
  readonly caseFor: (flow: FlowName, name: string, bank?: string, options?: Partial<E2eCaseOptions>) => E2eCase;
  /** Sends the message and expects 202 with an empty body. */
  readonly submit: (message: E2eCase) => Promise<void>;
  /** Sends a report on the message and expects 202 with an empty body. */
  readonly submitReport: (about: E2eCase, options?: ReportOptions) => Promise<void>;
  /** The number of transactions. */
  readonly size: () => number;
}

/** Creates the cases. `environment` is called when something is sent. The first bank is the default. */
export function createCases(environment: () => E2eEnvironment, banks: readonly EnvironmentBank[]): Cases {
  const cases = new Map<string, E2eCase>();
  return {
    caseFor: (flow, name, bank = banks[0]?.id ?? "", options = {}) => {
      const key = `${flow} ${name} ${bank}`;
      const { branch = "" } = banks.find(({ id }) => id === bank) ?? {};
      const made = cases.get(key) ?? createCase({ flow, bank, branch, ...options });
      cases.set(key, made);
      return made;
    },
    submit: async (message) => expectAccepted(await submitCase(environment(), message)),
    submitReport: async (about, options) => expectAccepted(await reportOnCase(environment(), about, options)),
    size: () => cases.size,
  };
}

function expectAccepted({ status, body }: SendResult): void {
  expect([status, body.byteLength]).toEqual([202, 0]);
}
