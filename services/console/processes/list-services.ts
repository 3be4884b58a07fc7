// listServices: each process of each service, with what it runs, whether it is ready and why not, and its partitions.
//
// #1 The processes are asked at most once a second, however many people ask.
// #2 How far a service is comes from its positions in the store where it keeps them there, so that it is known also
//    while none of its processes answers; for the others it comes from what the processes say.
// #3 What holds a position back is named by the key of its record, which may be of any scheme: an operator of some
//    schemes does not have it.

import { topics } from "@sluice/contracts";
import type { Time } from "@sluice/kernel";
import type { Messaging } from "@sluice/messaging";
import type { AskProcesses } from "@sluice/process";
import type { Store } from "@sluice/store";
import type { ControlHandler } from "../http/control-handler.ts";
import { loadPartitions } from "../queries/control-status.ts";
import { formatInstant } from "../http/bank-answer.ts";
import { formatOptionalInstant } from "../views/control-values.ts";
import { readProcess, type ReadPartition } from "./read-process.ts";
import { countCompared, listTopicDifferences } from "./topic-differences.ts";
import { loadTopicSizes } from "./topic-sizes.ts";

export interface ServicesPorts {
  readonly time: Time;
  readonly store: Pick<Store, "partitions">;
  readonly messaging: Pick<Messaging, "ends">;
  readonly partitionCount: number;
  readonly brokerNowMs: () => number | null;
  /** null: nobody said where the processes are. */
  readonly askProcesses: AskProcesses | null;
}

/** #1 */
const keptMs = 1_000;

/** Every service, and whether it reads partitions. */
const knownServices: Readonly<Record<string, boolean>> = {
  ingress: false,
  validator: true,
  scheduler: true,
  dispatcher: true,
  "event-publisher": true,
  console: false,
};

export function listServiceProcesses(ports: ServicesPorts): ControlHandler {
  let last: { readonly body: ReturnType<typeof buildBody>; readonly atMs: number } | null = null;
  return async ({ operator }) => {
    const atMs = ports.time.monotonicMs();
    if (last === null || atMs - last.atMs > keptMs) {
      const mine = { body: buildBody(ports), atMs };
      last = mine;
      // A failure is nobody's answer but that of those who asked for it.
      mine.body.catch(() => (last = last === mine ? null : last));
    }
    const body = await last.body;
    // #3
    const rows = operator.schemes === null ? body.rows : body.rows.map((row) => ({ ...row, blocked: [] }));
    return { kind: "found", body: { ...body, rows } };
  };
}

async function buildBody(ports: ServicesPorts) {
  const [asked, stored, sizes] = await Promise.all([ports.askProcesses?.() ?? null, loadPartitions(ports), loadTopicSizes(ports)]);
  const found = (asked ?? []).map(readProcess);
  const ends = await loadEnds(
    ports,
    found.flatMap(({ partitions }) => partitions),
  );
  const rows = found
    .map(({ view, partitions }) => {
      const shown = partitions.map((one) => partitionView(one, ends));
      return { ...view, partitions: shown, lag: shown.length === 0 ? null : sumLags(shown) };
    })
    .toSorted((a, b) => compareTexts(a.service ?? "~", b.service ?? "~") || compareTexts(a.address, b.address));
  const names = [...new Set([...Object.keys(knownServices), ...rows.flatMap(({ service }) => service ?? [])])];
  const services = names.map((service) => {
    const own = rows.filter((row) => row.service === service);
    const positions = stored.filter((partition) => partition.service === service);
    return serviceView(service, own, positions, asked === null ? null : ports.partitionCount);
  });
  return {
    schema: "Services",
    asOf: formatOptionalInstant(ports.brokerNowMs()),
    areProcessesKnown: asked !== null,
    services,
    rows,
    topics: sizes,
    topicsCompared: countCompared(found),
    topicDifferences: listTopicDifferences(found),
    certificates: listCertificates(found.flatMap(({ certificates }) => certificates)),
    differences: asked === null ? [] : findDifferences(rows, services),
  };
}

/** Several processes read the same file: the end that comes first counts. */
function listCertificates(found: readonly { readonly receiver: string; readonly endsAtMs: number }[]) {
  return [...Map.groupBy(found, ({ receiver }) => receiver)]
    .map(([receiver, own]) => ({ receiver, endsAtMs: Math.min(...own.map(({ endsAtMs }) => endsAtMs)) }))
    .toSorted((a, b) => a.endsAtMs - b.endsAtMs || compareTexts(a.receiver, b.receiver))
    .map(({ receiver, endsAtMs }) => ({ receiver, endsAt: formatInstant(endsAtMs) }));
}

type ProcessRow = ReturnType<typeof readProcess>["view"] & {
  readonly partitions: readonly ReturnType<typeof partitionView>[];
  readonly lag: bigint | null;
};

/** `partitionCount` is null where nobody knows who owns what. */
function serviceView(
  service: string,
  own: readonly ProcessRow[],
  stored: readonly { readonly lag: bigint }[],
  partitionCount: number | null,
) {
  const readsPartitions = knownServices[service] === true;
  const owned = new Set(own.flatMap(({ partitions }) => partitions.map(({ partition }) => partition)));
  const said = own.flatMap(({ partitions }) => partitions);
  return {
    service,
    processes: own.length,
    ready: own.filter(({ isReady }) => isReady).length,
    partitions: readsPartitions ? (partitionCount ?? (stored.length === 0 ? null : stored.length)) : null,
    notOwned: readsPartitions && partitionCount !== null ? partitionCount - owned.size : null,
    // #2
    lag: stored.length > 0 ? sumLags(stored) : said.length > 0 ? sumLags(said) : null,
  };
}

async function loadEnds({ messaging, partitionCount }: ServicesPorts, partitions: readonly ReadPartition[]) {
  const known: ReadonlySet<string> = new Set(Object.values(topics));
  const read = partitions.filter(({ topic, partition }) => known.has(topic) && partition < partitionCount);
  const places = [...new Map(read.map(({ topic, partition }) => [placeOf({ topic, partition }), { topic, partition }])).values()];
  const ends = places.length === 0 ? [] : await messaging.ends(places);
  return new Map(places.map((place, index) => [placeOf(place), ends[index]?.logEnd ?? null]));
}

function placeOf({ topic, partition }: Pick<ReadPartition, "topic" | "partition">): string {
  return `${topic}/${partition}`;
}

function partitionView({ topic, partition, position }: ReadPartition, ends: ReadonlyMap<string, bigint | null>) {
  const logEnd = ends.get(placeOf({ topic, partition })) ?? null;
  // The position may be newer than the end.
  return { topic, partition, position, lag: logEnd === null ? null : logEnd > position ? logEnd - position : 0n };
}

function sumLags(partitions: readonly { readonly lag: bigint | null }[]): bigint {
  return partitions.reduce((sum, { lag }) => sum + (lag ?? 0n), 0n);
}

/** What a person has to look at, beside the processes that are not ready. */
function findDifferences(rows: readonly ProcessRow[], services: readonly ReturnType<typeof serviceView>[]): readonly string[] {
  const missing = services.filter(({ processes }) => processes === 0).map(({ service }) => `No process of ${service} answers.`);
  const notOwned = services
    .filter(({ processes, notOwned: count }) => processes > 0 && count !== null && count > 0)
    .map(({ service, notOwned: count }) => `No process of ${service} owns ${count} of its partitions.`);
  const configurations = [...new Set(rows.flatMap(({ configuration }) => configuration?.hash ?? []))];
  const releases = [...new Set(rows.flatMap(({ release }) => release ?? []))];
  const versions = Map.groupBy(
    rows.flatMap(({ rules }) => [...new Set(rules.map(({ rule }) => rule))].map((rule) => ({ rule, text: rulesText(rules, rule) }))),
    ({ rule }) => rule,
  );
  const rules = [...versions].filter(([, said]) => new Set(said.map(({ text }) => text)).size > 1).map(([rule]) => rule);
  return [
    ...missing,
    ...notOwned,
    ...(configurations.length > 1 ? [`The processes run with different configurations: ${configurations.toSorted().join(", ")}.`] : []),
    ...rules.map((rule) => `The processes run different versions of the rule ${rule}.`),
    ...(releases.length > 1 ? [`The processes run different releases: ${releases.toSorted().join(", ")}.`] : []),
  ];
}

/** The same text means the same versions on the same dates. */
function rulesText(rules: ProcessRow["rules"], rule: string): string {
  return JSON.stringify(rules.filter((one) => one.rule === rule).toSorted((a, b) => compareTexts(a.version, b.version)));
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
