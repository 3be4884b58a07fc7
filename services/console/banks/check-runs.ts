// The checks of a receiver's addresses that somebody asked for: who, when, and what each address answered.

import { formatInstant } from "../http/bank-answer.ts";
import type { ReceiverStatus } from "../views/receiver-status.ts";

const runsMax = 10;

export type CheckRun = ReturnType<typeof listCheckRuns>[number];

/** The newest first. An address that was called twice under one request, as after a restart, has its newest answer. */
export function listCheckRuns({ endpoints }: Pick<ReceiverStatus, "endpoints">) {
  const all = endpoints.flatMap(({ service, origin: address, checks }) => checks.map((check) => ({ ...check, service, address })));
  const runs = [...Map.groupBy(all, ({ action }) => action)].map(([action, checks]) => {
    const newest = new Map(checks.map((one) => [`${one.service} ${one.address}`, one]));
    const addresses = [...newest.values()].map(({ service, address, atMs, tookMs, httpStatusCode, reason }) => {
      return { service, address, at: formatInstant(atMs), tookMs, httpStatusCode, reason };
    });
    const atMs = Math.max(...checks.map((one) => one.atMs));
    return { atMs, run: { action, operator: checks[0]?.operator ?? "", at: formatInstant(atMs), addresses } };
  });
  return runs
    .toSorted((a, b) => b.atMs - a.atMs)
    .slice(0, runsMax)
    .map(({ run }) => run);
}
