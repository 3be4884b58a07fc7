// The services: each process with what it runs, whether it is ready and why not, and how far its partitions are.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import type { Asked } from "../asked.ts";
import { showDistance, showTime, type Clock } from "../parts/clock.ts";
import { count, dataTable, link, mark, type Html } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";
import { createSorting } from "../parts/sorting.ts";

type Services = AnswerOf<"listServices">;
type Process = Services["rows"][number];

export async function showServices({ api, query, clock }: Asked): Promise<PageContent> {
  const shown = await api.read("listServices", "/services");
  return {
    title: "Services",
    section: "services",
    command: "./sluice services",
    runbook: "a-partition-stands-still",
    isLive: true,
    body: html`${renderDifferences(shown)} ${renderServices(shown, query)}
      ${shown.areProcessesKnown ? renderProcesses(shown, query, clock) : unknownProcesses} ${renderBlocked(shown, clock)}
      ${renderCertificates(shown, clock)} ${renderTopics(shown, query)}
      <p class="quiet">Partition by partition: ${link("/system", "System")}.</p>`,
  };
}

const unknownProcesses = html`<p class="empty">
  <strong>Processes.</strong> This console does not know where they are: <code>SLUICE_OPERATIONS_ADDRESSES</code> names their operations
  ports.
</p>`;

function renderDifferences({ differences }: Services): Html | string {
  return differences.length === 0
    ? ""
    : html`<ul class="reasons">
        ${differences.map((one) => html`<li>${one}</li>`)}
      </ul>`;
}

function renderServices({ services, areProcessesKnown }: Services, query: URLSearchParams): Html {
  const sorting = createSorting<Services["services"][number]>("/services", query, {
    service: { order: "ascending", by: ({ service }) => service },
    ready: { order: "ascending", by: ({ ready, processes }) => ready - processes },
    "not-owned": { order: "descending", by: ({ notOwned }) => notOwned },
    behind: { order: "descending", by: ({ lag }) => (lag === null ? null : Number(lag)) },
  });
  const columns = [
    sorting.column("service", { title: "Service" }),
    sorting.column("ready", { title: "Ready", isNumber: true }),
    { title: "Partitions", isNumber: true },
    sorting.column("not-owned", { title: "Owned by nobody", isNumber: true }),
    sorting.column("behind", { title: "Behind", isNumber: true }),
  ];
  const cells = sorting
    .rows(services)
    .map(({ service, processes, ready, partitions, notOwned, lag }) => [
      service,
      areProcessesKnown ? `${count(ready)} of ${count(processes)}` : "not known",
      optional(partitions),
      notOwned !== null && notOwned > 0 ? mark("bad", count(notOwned)) : optional(notOwned),
      optional(lag),
    ]);
  return dataTable("Services", columns, cells, "None is known.");
}

function renderProcesses({ rows }: Services, query: URLSearchParams, clock: Clock): Html {
  const sorting = createSorting<Process>("/services", query, {
    process: { order: "ascending", by: ({ service, address }) => `${service ?? "~"} ${address}` },
    state: { order: "ascending", by: ({ isReady, failure }) => (failure !== null ? 0 : isReady ? 2 : 1) },
    release: { order: "ascending", by: ({ release }) => release },
    lag: { order: "descending", by: ({ lag }) => (lag === null ? null : Number(lag)) },
    clock: { order: "descending", by: ({ skewMs }) => (skewMs === null ? null : Math.abs(skewMs)) },
  });
  const columns = [
    sorting.column("process", { title: "Service" }),
    sorting.column("state", { title: "State", isText: true }),
    sorting.column("release", { title: "Release" }),
    { title: "Configuration" },
    sorting.column("lag", { title: "Partitions" }),
    sorting.column("clock", { title: "Clock" }),
  ];
  const cells = sorting
    .rows(rows)
    .map((row) => [
      html`${row.service ?? "not known"}<br /><code>${row.address.replace(/^http:\/\//, "")}</code>`,
      html`${stateMark(row)} <span class="quiet">${showDistance(row.since, clock)}</span> ${whyText(row)}`,
      row.release === null ? "–" : html`${row.release}<br /><span class="quiet">Node ${row.node ?? "–"}</span>`,
      configurationText(row, clock),
      row.partitions.length === 0
        ? "–"
        : html`${partitionList(row.partitions.map(({ partition }) => partition))}<br /><span class="quiet"
              >${optional(row.lag)} behind</span
            >`,
      html`${row.skewMs === null ? "–" : `${row.skewMs >= 0 ? "+" : ""}${row.skewMs} ms`}<br /><span class="quiet"
          >started ${showDistance(row.startedAt, clock)}</span
        >`,
    ]);
  return dataTable("Processes", columns, cells, "No process was found.");
}

function whyText({ failure, reasons }: Process): string {
  return [...(failure === null ? [] : [failure]), ...reasons].join("; ");
}

function stateMark({ failure, isReady, reasons }: Process): Html {
  if (failure !== null) return mark("bad", "no answer");
  if (!isReady) return mark("bad", "not ready");
  return reasons.length === 0 ? mark("good", "ready") : mark("warns", "ready in part");
}

function configurationText({ configuration, isConfigurationRefused }: Process, clock: Clock): Html | string {
  if (configuration === null) return "–";
  const { version, hash, since } = configuration;
  return html`${version} ${hash === version ? "" : html`<code>${hash}</code>`}<br /><span class="quiet">${showDistance(since, clock)}</span>
    ${isConfigurationRefused ? mark("bad", "a newer file is refused") : ""}`;
}

function renderBlocked({ rows }: Services, clock: Clock): Html | string {
  const columns = [
    { title: "Service" },
    { title: "Partition" },
    { title: "Offset", isNumber: true },
    { title: "Key" },
    { title: "For" },
    { title: "Since" },
    { title: "Why", isText: true },
  ];
  const cells = rows.flatMap(({ service, blocked }) =>
    blocked.map(({ topic, partition, offset, key, receiver, since, why }) => [
      service ?? "",
      `${topic}/${partition}`,
      count(offset),
      html`<code>${key}</code>`,
      receiver === null ? "–" : link(`/banks/${receiver}`, receiver),
      html`${showTime(since, clock)} <span class="quiet">${showDistance(since, clock)}</span>`,
      why,
    ]),
  );
  return cells.length === 0 ? "" : dataTable("Positions that stand", columns, cells, "None.");
}

function renderTopics({ topics }: Services, query: URLSearchParams): Html {
  const sorting = createSorting<Services["topics"][number]>("/services", query, {
    topic: { order: "ascending", by: ({ topic }) => topic },
    records: { order: "descending", by: ({ records }) => Number(records) },
    largest: { order: "descending", by: ({ largest }) => Number(largest) },
  });
  const columns = [
    sorting.column("topic", { title: "Topic" }),
    { title: "Partitions", isNumber: true },
    sorting.column("records", { title: "Records kept", isNumber: true }),
    sorting.column("largest", { title: "In the fullest partition", isNumber: true }),
  ];
  const cells = sorting
    .rows(topics)
    .map(({ topic, partitions, records, largest }) => [html`<code>${topic}</code>`, count(partitions), count(records), count(largest)]);
  return dataTable("Topics that the console uses", columns, cells, "None is known.");
}

const soonMs = 30 * 86_400_000;

function renderCertificates({ certificates, areProcessesKnown }: Services, clock: Clock): Html | string {
  if (!areProcessesKnown) return "";
  const cells = certificates.map(({ receiver, endsAt }) => [
    link(`/banks/${receiver}`, receiver),
    html`${showTime(endsAt, clock)} <span class="quiet">${showDistance(endsAt, clock)}</span>`,
    certificateMark(endsAt, clock),
  ]);
  return dataTable(
    "Client certificates",
    [{ title: "Receiver" }, { title: "Ends" }, { title: "State" }],
    cells,
    "No receiver asks for one.",
  );
}

export function certificateMark(endsAt: string, { nowMs }: Clock): Html | string {
  if (nowMs === null) return "";
  const leftMs = Date.parse(endsAt) - nowMs;
  if (leftMs <= 0) return mark("bad", "has ended");
  return leftMs <= soonMs ? mark("warns", "ends within 30 days") : mark("good", "valid");
}

/** "0–2, 5". */
function partitionList(given: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const partition of [...new Set(given)].toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === partition - 1) last[1] = partition;
    else runs.push([partition, partition]);
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}–${to}`)).join(", ");
}

function optional(given: number | string | null): string {
  return given === null ? "–" : count(given);
}
