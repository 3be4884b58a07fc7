// The services: each process with what it runs, whether it is ready and why not, and how far its partitions are.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import type { Asked } from "../asked.ts";
import { showDistance, showTime, type Clock } from "../parts/clock.ts";
import { count, dataTable, link, mark, type Html } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";

type Services = AnswerOf<"listServices">;
type Process = Services["rows"][number];

export async function showServices({ api, clock }: Asked): Promise<PageContent> {
  const shown = await api.read("listServices", "/services");
  return {
    title: "Services",
    section: "services",
    command: "./sluice services",
    runbook: "a-partition-stands-still",
    isLive: true,
    body: html`${renderDifferences(shown)} ${renderServices(shown)}
      ${shown.areProcessesKnown ? renderProcesses(shown, clock) : unknownProcesses} ${renderBlocked(shown, clock)}
      ${renderCertificates(shown, clock)} ${renderTopics(shown)}
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

function renderServices({ services, areProcessesKnown }: Services): Html {
  const columns = [
    { title: "Service" },
    { title: "Ready", isNumber: true },
    { title: "Partitions", isNumber: true },
    { title: "Owned by nobody", isNumber: true },
    { title: "Behind", isNumber: true },
  ];
  const cells = services.map(({ service, processes, ready, partitions, notOwned, lag }) => [
    service,
    areProcessesKnown ? `${count(ready)} of ${count(processes)}` : "not known",
    optional(partitions),
    notOwned !== null && notOwned > 0 ? mark("bad", count(notOwned)) : optional(notOwned),
    optional(lag),
  ]);
  return dataTable("Services", columns, cells, "None is known.");
}

function renderProcesses({ rows }: Services, clock: Clock): Html {
  const columns = [
    { title: "Service" },
    { title: "Address" },
    { title: "State" },
    { title: "Since" },
    { title: "Why", isText: true },
    { title: "Release" },
    { title: "Configuration" },
    { title: "Partitions" },
    { title: "Behind", isNumber: true },
    { title: "Clock" },
    { title: "Started" },
  ];
  const cells = rows.map((row) => [
    row.service ?? "not known",
    html`<code>${row.address}</code>`,
    stateMark(row),
    html`${showTime(row.since, clock)} <span class="quiet">${showDistance(row.since, clock)}</span>`,
    [...(row.failure === null ? [] : [row.failure]), ...row.reasons].join("; "),
    row.release === null ? "–" : html`${row.release} <span class="quiet">Node ${row.node ?? "–"}</span>`,
    configurationText(row, clock),
    row.partitions.length === 0 ? "–" : partitionList(row.partitions.map(({ partition }) => partition)),
    optional(row.lag),
    row.skewMs === null ? "–" : `${row.skewMs >= 0 ? "+" : ""}${row.skewMs} ms`,
    showTime(row.startedAt, clock),
  ]);
  return dataTable("Processes", columns, cells, "No process was found.");
}

function stateMark({ failure, isReady, reasons }: Process): Html {
  if (failure !== null) return mark("bad", "no answer");
  if (!isReady) return mark("bad", "not ready");
  return reasons.length === 0 ? mark("good", "ready") : mark("warns", "ready in part");
}

function configurationText({ configuration, isConfigurationRefused }: Process, clock: Clock): Html | string {
  if (configuration === null) return "–";
  const { version, hash, since } = configuration;
  return html`${version} <code>${hash}</code>
    <span class="quiet">${showDistance(since, clock)}</span> ${isConfigurationRefused ? mark("bad", "a newer file is refused") : ""}`;
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

function renderTopics({ topics }: Services): Html {
  const columns = [
    { title: "Topic" },
    { title: "Partitions", isNumber: true },
    { title: "Records kept", isNumber: true },
    { title: "In the fullest partition", isNumber: true },
  ];
  const cells = topics.map(({ topic, partitions, records, largest }) => [
    html`<code>${topic}</code>`,
    count(partitions),
    count(records),
    count(largest),
  ]);
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
