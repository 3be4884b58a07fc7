// What an existing topic has otherwise than it should, and whether that breaks order or loses money.
//
// #1 Dangerous: another number of partitions (a key would move), another timestamp type (facts are judged by append time),
//    compaction, a shorter retention by time or size (on the journal: any), fewer replicas or fewer in-sync ones than asked for,
//    unclean leader election.
// #2 Anything else, such as a longer retention, is told and left as it is.

import type { TopicSpec } from "./topic-specs.ts";

export interface TopicFound {
  readonly partitions: number;
  /** The fewest of any partition. */
  readonly replication: number;
  readonly config: Readonly<Record<string, string>>;
}

export interface TopicDifference {
  readonly topic: string;
  readonly what: string;
  readonly wanted: string;
  readonly found: string;
  readonly isDangerous: boolean;
}

export function topicDifferences(spec: TopicSpec, found: TopicFound): readonly TopicDifference[] {
  const compared: [string, string, string, boolean][] = [
    ["partitions", String(spec.partitions), String(found.partitions), true],
    ["replication", String(spec.replication), String(found.replication), found.replication < spec.replication],
  ];
  for (const [name, wanted] of Object.entries(spec.config)) {
    const is = found.config[name] ?? "absent";
    compared.push([name, wanted, is, isDangerous(name, wanted, is)]);
  }
  return compared
    .filter(([, wanted, is]) => wanted !== is)
    .map(([what, wanted, is, isDangerous]) => ({ topic: spec.topic, what, wanted, found: is, isDangerous }));
}

function isDangerous(name: string, wanted: string, found: string): boolean {
  if (name === "retention.ms" || name === "retention.bytes") return isShorter(wanted, found);
  if (name === "min.insync.replicas") return !(Number(found) >= Number(wanted));
  return true;
}

/** −1 is for ever. What is not a number is no retention we know. */
function isShorter(wanted: string, found: string): boolean {
  if (!/^-?\d+$/.test(found)) return true;
  if (BigInt(found) < 0n) return false;
  return BigInt(wanted) < 0n || BigInt(found) < BigInt(wanted);
}
