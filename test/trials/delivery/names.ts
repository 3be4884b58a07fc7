// The name server of a delivery trial: real datagrams on the loopback. The services ask it in place of the machine's.
//
// #1 For the nameless bank it never answers, as a name server that is down. For the named ones it answers at once, with
//    the shortest time to live, so that they are asked for again and again beside the silent one.

import { type NameServer, openNameServer } from "@sluice/testkit";
import type { PlannedBank } from "./plan.ts";

/** The name of the bank for which the name server is silent. */
const namelessHost = "nameless.bank.test";
const domain = ".bank.test";
/** Every tenth healthy bank has a name, the others an address. */
const namedEvery = 10;
const addresses = ["127.0.0.1"];

export interface TrialNames {
  /** Where services ask, as `SLUICE_NAME_SERVERS` says it. */
  readonly server: string;
  /** The name of a bank; null where it has an address alone. */
  hostOf(bank: PlannedBank): string | null;
  /** The questions that were left without an answer, and those that were answered. */
  counts(): { readonly silent: number; readonly answered: number };
}

/** Opens the name server; `opened` closes it. */
export async function openTrialNames(banks: readonly PlannedBank[], opened: AsyncDisposableStack): Promise<TrialNames> {
  const healthy = banks.filter(({ profile }) => profile === "healthy");
  const named = new Set(healthy.filter((_, index) => index % namedEvery === 0).map(({ id }) => `${id}${domain}`));
  const server: NameServer = await openNameServer("127.0.0.1", 0, (name) => {
    if (name === namelessHost) return "silent";
    return named.has(name) ? { addresses, ttlSeconds: 1 } : { code: 3 };
  });
  opened.defer(() => server.close());
  return {
    server: `127.0.0.1:${server.port}`,
    hostOf({ id, profile }) {
      if (profile === "nameless") return namelessHost;
      return named.has(`${id}${domain}`) ? `${id}${domain}` : null;
    },
    counts() {
      const silent = server.questions.filter((question) => question.includes(namelessHost)).length;
      return { silent, answered: server.questions.length - silent };
    },
  };
}
