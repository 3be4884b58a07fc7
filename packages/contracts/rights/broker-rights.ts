// What each service may do at the broker, and nothing more. Provisioning makes ACLs of this table, and the page
// docs/security/rights.md shows it. Tests hold the services to it: what is done without a right fails one, and a right
// that nothing uses fails another.
//
// #1 A service reads and writes the topics of the records that the map names for it, and what `furtherUses` adds.
// #2 To read or to write a topic includes to describe it: to ask for its partitions, their leaders and their ends.
// #3 A service asks for the settings of the topics that it writes, to warn of one that may lose what it acknowledged.
// #4 Services read with groups that are theirs alone.

import { recordMap } from "../wire/record-map.ts";
import { groups, topics } from "../wire/topics.ts";

export const brokerServices = ["ingress", "validator", "scheduler", "dispatcher", "event-publisher", "console"] as const;
export type BrokerService = (typeof brokerServices)[number];

export type BrokerOperation = "read" | "write" | "describe" | "describe-configs";

export interface BrokerRight {
  readonly kind: "topic" | "group";
  readonly name: string;
  readonly operation: BrokerOperation;
}

export interface FurtherUse {
  readonly services: readonly BrokerService[];
  readonly operation: "read" | "write";
  readonly topic: string;
  readonly why: string;
}

/** What no record of the map says. */
export const furtherUses: readonly FurtherUse[] = [
  {
    services: ["ingress", "scheduler", "dispatcher", "event-publisher", "console"],
    operation: "write",
    topic: topics.probe,
    why: "an empty record, whose append time is the broker's clock",
  },
  { services: ["scheduler"], operation: "read", topic: topics.transactions, why: "whether the last snapshot of each key is the newest" },
  { services: ["console"], operation: "read", topic: topics.journal, why: "timelines, searches and replays" },
  { services: ["console"], operation: "read", topic: topics.dispatch, why: "timelines" },
  { services: ["console"], operation: "read", topic: topics.events, why: "timelines, and the events that a bank asks for" },
  { services: ["console"], operation: "read", topic: topics.stateEvents, why: "the events of a bank that retention has removed" },
];

/** What the map calls the readers that the console reads for. */
const readsFor: Readonly<Partial<Record<BrokerService, readonly string[]>>> = { console: ["timeline", "operators"] };

/** #1, in the order of the topics. */
export function brokerTopicsOf(service: BrokerService) {
  const names = [service, ...(readsFor[service] ?? [])];
  const reads = new Set<string>(furtherTopics(service, "read"));
  const writes = new Set<string>(furtherTopics(service, "write"));
  for (const { topic, writtenBy, readBy } of recordMap) {
    if (names.some((name) => readBy.some((reader) => reader === name))) reads.add(topic);
    if (writtenBy.some((writer) => writer === service)) writes.add(topic);
  }
  const all = Object.values(topics).filter((topic) => reads.has(topic) || writes.has(topic));
  return { all, reads: all.filter((topic) => reads.has(topic)), writes: all.filter((topic) => writes.has(topic)) };
}

function furtherTopics(service: BrokerService, operation: "read" | "write"): readonly string[] {
  return furtherUses.filter((use) => use.operation === operation && use.services.includes(service)).map(({ topic }) => topic);
}

/** Lists the rights of a service, each once. */
export function brokerRightsOf(service: BrokerService): readonly BrokerRight[] {
  const { reads, writes } = brokerTopicsOf(service);
  const own = Object.entries(groups).filter(([reader]) => reader === service);
  return [
    ...reads.map((name): BrokerRight => ({ kind: "topic", name, operation: "read" })),
    ...writes.map((name): BrokerRight => ({ kind: "topic", name, operation: "write" })),
    ...writes.map((name): BrokerRight => ({ kind: "topic", name, operation: "describe-configs" })),
    ...own.map(([, name]): BrokerRight => ({ kind: "group", name, operation: "read" })),
    // The validator's position is its group's alone: nothing but the broker knows it.
    ...(service === "console" ? [{ kind: "group", name: groups.validator, operation: "describe" } as const] : []),
  ];
}
