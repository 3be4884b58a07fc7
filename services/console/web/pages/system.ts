// The system: how far each service is, partition by partition, and what is paused.

import { html } from "hono/html";
import type { Asked } from "../asked.ts";
import { showTime } from "../parts/clock.ts";
import { count, facts, link, mark, dataTable } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";

/** A partition that is so far behind stands still, or has far too much to do. */
const oldSeconds = 60;

export async function showSystem({ api, me, clock }: Asked): Promise<PageContent> {
  const { partitions, banksPaused, asOf } = await api.read("controlStatus", "/status");
  const columns = [
    { title: "Service" },
    { title: "Partition", isNumber: true },
    { title: "Position", isNumber: true },
    { title: "End of the log", isNumber: true },
    { title: "Records behind", isNumber: true },
    { title: "Seconds behind", isNumber: true },
    { title: "Lease" },
  ];
  const cells = partitions.map(({ service, partition, position, logEnd, lag, behindSeconds, epoch }) => [
    service,
    partition,
    count(position),
    count(logEnd),
    count(lag),
    behindSeconds === null ? "not known" : behindSeconds >= oldSeconds ? mark("bad", count(behindSeconds)) : count(behindSeconds),
    epoch === null ? mark("bad", "nobody ever owned it") : `epoch ${epoch}`,
  ]);
  const paused = banksPaused.map(({ bank, since, until, operator, reason }) => [
    link(`/banks/${bank}`, bank),
    showTime(since, clock),
    showTime(until, clock),
    operator,
    reason,
  ]);
  return {
    title: "System",
    section: "system",
    command: "./sluice status",
    runbook: "a-partition-stands-still",
    isLive: true,
    body: html`${facts([
        ["Broker clock", showTime(asOf, clock)],
        ["Configuration in this console", me.configurationVersion],
        ["Second person for", me.secondPerson.length === 0 ? "no decision" : me.secondPerson.join(", ")],
      ])}
      ${dataTable("Paused receivers", [{ title: "Receiver" }, { title: "Since" }, { title: "Until" }, { title: "By" }, { title: "Reason", isText: true }], paused, "No receiver is paused.")}
      ${dataTable("Partitions", columns, cells, "No partition is known.")}
      <p class="quiet">A position is written every 100 ms, so that a few records behind are normal, and a growing number is not.</p>`,
  };
}
