// controlStatus: how far each lane is and who owns it, which banks are paused, and the days that are not reconciled.
//
// #1 A lane's lag counts the records between its position and the end of its log. A position is written at most every 100 ms, so that a few
//    records are normal; a lag that grows is not.

import { topics } from "@sluice/contracts";
import { isPausedAt, type Day } from "@sluice/domain";
import type { LogEnds, Messaging } from "@sluice/messaging";
import type { LaneDocument, Store } from "@sluice/store";
import { instantText } from "./answer.ts";
import type { ControlHandler } from "./control-handler.ts";
import { actionView, timeText } from "./control-values.ts";

export interface StatusPorts {
  readonly store: Pick<Store, "lanes" | "banks" | "days">;
  readonly messaging: Pick<Messaging, "ends">;
  readonly lanes: number;
  readonly agreedNowMs: () => number | null;
}

/** Whose lanes are shown, and the topic that each reads. */
const services = { scheduler: topics.journal, dispatcher: topics.dispatch, "event-publisher": topics.events } as const;

export function controlStatus({ store, messaging, lanes: laneCount, agreedNowMs }: StatusPorts): ControlHandler {
  return async () => {
    const lanes = [];
    for (const [service, topic] of Object.entries(services)) {
      const documents = new Map((await store.lanes.list(service)).map((document) => [document.partition, document]));
      const ends = await messaging.ends(Array.from({ length: laneCount }, (_, partition) => ({ topic, partition })));
      lanes.push(...ends.map((end, lane) => laneView(service, lane, end, documents.get(lane) ?? null)));
    }
    const [standings, days] = await Promise.all([store.banks.all(), store.days.open()]);
    const nowMs = agreedNowMs();
    const banksPaused = standings.flatMap(({ bank, since, ...standing }) =>
      isPausedAt(standing, nowMs ?? 0) && since !== null
        ? [{ bank, since: instantText(since.atMs), until: timeText(standing.untilMs), ...actionView(since.action) }]
        : [],
    );
    const body = { schema: "ControlStatus", asOf: timeText(nowMs), lanes, banksPaused, days: days.map(dayView) };
    return { kind: "found", body };
  };
}

function laneView(service: string, lane: number, { logEnd }: LogEnds, document: LaneDocument | null) {
  const position = document?.position ?? 0n;
  // The position may be newer than the end that was asked for before it.
  const lag = logEnd > position ? logEnd - position : 0n;
  return { service, lane, position, logEnd, lag, epoch: document?.epoch ?? null };
}

function dayView({ key, plan, opened, closed, missed, isVoided }: Day) {
  const ahead = plan.windows.find(({ number }) => !closed.includes(number));
  return {
    day: key,
    isVoided,
    windowOpen: opened.find((number) => !closed.includes(number)) ?? null,
    missed,
    nextOpening: ahead === undefined || opened.includes(ahead.number) ? null : instantText(ahead.opensAtMs),
    nextClose: ahead === undefined ? null : instantText(ahead.closesAtMs),
    reconciliation: instantText(plan.reconciliationAtMs),
  };
}
