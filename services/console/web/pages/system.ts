// The system: how far each service is, partition by partition, and what is paused.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import type { Asked } from "../asked.ts";
import { showTime } from "../parts/clock.ts";
import { count, facts, link, mark, dataTable, type Html } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";
import { renderRebuild } from "../parts/rebuild.ts";
import { createSorting } from "../parts/sorting.ts";

type Services = AnswerOf<"listServices">;

/** A partition that is so far behind stands still, or has far too much to do. */
const oldSeconds = 60;

export async function showSystem({ api, me, query, clock }: Asked): Promise<PageContent> {
  const [{ partitions, rebuild, banksPaused, asOf }, services] = await Promise.all([
    api.read("controlStatus", "/status"),
    api.read("listServices", "/services"),
  ]);
  const sorting = createSorting<(typeof partitions)[number]>("/system", query, {
    service: { order: "ascending", by: ({ service }) => service },
    partition: { order: "ascending", by: ({ partition }) => partition },
    records: { order: "descending", by: ({ lag }) => Number(lag) },
    seconds: { order: "descending", by: ({ behindSeconds }) => behindSeconds },
  });
  const columns = [
    sorting.column("service", { title: "Service" }),
    sorting.column("partition", { title: "Partition", isNumber: true }),
    { title: "Position", isNumber: true },
    { title: "End of the log", isNumber: true },
    sorting.column("records", { title: "Records behind", isNumber: true }),
    sorting.column("seconds", { title: "Seconds behind", isNumber: true }),
    { title: "Lease" },
  ];
  const cells = sorting
    .rows(partitions)
    .map(({ service, partition, position, logEnd, lag, behindSeconds, epoch }) => [
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
      ${renderReplicas(services)} ${renderTopicDifferences(services)} ${renderAppends(services)} ${renderRebuild(rebuild, clock)}
      ${renderRules(services, asOf)}
      <p>${link("/topics", "Topics and schemas")}: who writes and reads each record, and every field.</p>
      ${dataTable("Partitions", columns, cells, "No partition is known.")}
      <p class="quiet">A position is written every 100 ms, so that a few records behind are normal, and a growing number is not.</p>`,
  };
}

function renderReplicas({ services, areProcessesKnown, rows }: Services): Html {
  if (!areProcessesKnown) return html`<p class="empty"><strong>Replicas.</strong> This console does not know where the processes are.</p>`;
  const columns = [
    { title: "Service" },
    { title: "Replicas", isNumber: true },
    { title: "Ready", isNumber: true },
    { title: "Releases" },
    { title: "Configurations" },
  ];
  const cells = services.map(({ service, processes, ready }) => {
    const own = rows.filter((row) => row.service === service);
    const texts = (given: readonly (string | null)[]): string => [...new Set(given.filter((one) => one !== null))].toSorted().join(", ");
    return [
      service,
      processes === 0 ? mark("bad", "none") : count(processes),
      ready < processes ? mark("warns", count(ready)) : count(ready),
      texts(own.map(({ release }) => release)),
      texts(own.map(({ configuration }) => configuration?.version ?? null)),
    ];
  });
  return html`${dataTable("Replicas", columns, cells, "None is known.")}
    <p class="quiet">Each of them, and why one is not ready: ${link("/services", "Services")}.</p>`;
}

/** Only a process knows the settings of the topics that it writes. */
function renderTopicDifferences({ topicsCompared, topicDifferences }: Services): Html {
  const columns = [{ title: "Topic" }, { title: "How it differs", isText: true }, { title: "What mends it", isText: true }];
  const cells = topicDifferences.map(({ topic, sentence, isDangerous, mend }) => [
    link(`/topics/${topic}`, topic),
    mark(isDangerous ? "bad" : "warns", sentence),
    html`<code class="whole">${mend}</code>`,
  ]);
  const none = topicsCompared === 0 ? "No process says whether they differ." : "They are as the configuration says.";
  return html`<section id="topics">
    ${dataTable("Topics that differ from the configuration", columns, cells, none)}
    <p class="quiet">
      Compared every 15 minutes by who writes them. A service does not start without its topics, schemas and indexes, and says what is
      missing (${link("/services", "Services")}); <code>./sluice provision</code> creates it, and
      <code>./sluice provision --check</code> compares all.
    </p>
  </section>`;
}

/** The slowest process of each service: a log that is slow for one is slow for what waits behind it. */
function renderAppends({ services, rows, areProcessesKnown }: Services): Html | string {
  if (!areProcessesKnown) return "";
  const columns = [{ title: "Service" }, { title: "Batches", isNumber: true }, { title: "99 of 100 within", isNumber: true }];
  const cells = services.flatMap(({ service }) => {
    const own = rows.flatMap((row) => (row.service === service && row.appends !== null ? [row.appends] : []));
    if (own.length === 0) return [];
    const slowest = own.some(({ p99Ms }) => p99Ms === null) ? null : Math.max(...own.map(({ p99Ms }) => p99Ms ?? 0));
    const batches = own.reduce((sum, one) => sum + one.batches, 0);
    return [[service, count(batches), slowest === null ? mark("bad", "longer than what is measured") : `${count(slowest)} ms`]];
  });
  return html`${dataTable("Appends to the log", columns, cells, "No process says how long they take.")}
    <p class="quiet">
      Since each process started, of its slowest process. What the log does now: <code>sluice_log_append_seconds</code>.
    </p>`;
}

/** Each version once, with how many processes have it. */
function renderRules({ rows, areProcessesKnown }: Services, asOf: string | null): Html | string {
  if (!areProcessesKnown) return "";
  const said = rows.flatMap(({ rules }) => rules);
  const versions = [...Map.groupBy(said, ({ rule, version, from, to }) => JSON.stringify([rule, version, from, to])).values()];
  const today = asOf?.slice(0, 10) ?? null;
  const columns = [
    { title: "Rule" },
    { title: "Version" },
    { title: "From" },
    { title: "To" },
    { title: "State" },
    { title: "Processes", isNumber: true },
  ];
  const cells = versions.flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const { rule, version, from, to } = first;
    const isInForce = today === null || ((from ?? "") <= today && (to === null || today < to));
    return [
      [
        rule,
        version,
        from ?? "the release",
        to ?? "–",
        isInForce ? mark("good", "in force") : mark("quiet", "not now"),
        count(same.length),
      ],
    ];
  });
  return dataTable("Rules", columns, cells, "No process says which rules it has.");
}
