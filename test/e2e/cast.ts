// The transactions of a world by flow, name and bank: made when first asked for, and sent as their senders would.

import type { SendEnd } from "@sluice/testkit";
import { expect } from "vitest";
import { newCase, post, report } from "./flows.ts";
import type { Case, CaseOptions, FlowName } from "./flows.ts";
import type { World, WorldBank } from "./world.ts";

type ReportOptions = Parameters<typeof report>[2];

export interface Cast {
  readonly caseOf: (flow: FlowName, name: string, bank?: string, options?: Partial<CaseOptions>) => Case;
  /** Sends it, and is answered 202 with an empty body. */
  readonly take: (message: Case) => Promise<void>;
  /** The same with a report on it. */
  readonly takeReport: (about: Case, options?: ReportOptions) => Promise<void>;
  /** How many there are. */
  readonly size: () => number;
}

/** `world` is there when something is sent. The first bank is meant where none is named. */
export function createCast(world: () => World, banks: readonly WorldBank[]): Cast {
  const cases = new Map<string, Case>();
  return {
    caseOf: (flow, name, bank = banks[0]?.id ?? "", options = {}) => {
      const key = `${flow} ${name} ${bank}`;
      const { branch = "" } = banks.find(({ id }) => id === bank) ?? {};
      const made = cases.get(key) ?? newCase({ flow, bank, branch, ...options });
      cases.set(key, made);
      return made;
    },
    take: async (message) => expectTaken(await post(world(), message)),
    takeReport: async (about, options) => expectTaken(await report(world(), about, options)),
    size: () => cases.size,
  };
}

function expectTaken({ status, body }: SendEnd): void {
  expect([status, body.byteLength]).toEqual([202, 0]);
}
