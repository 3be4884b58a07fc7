// Compares an existing topic with its spec, and tells which differences would break order or lose money.
//
// #1 Dangerous are: another number of partitions (a key would move), another timestamp type (append times decide about
//    facts), compaction, a shorter retention by time or size (on the journal any), fewer replicas or in-sync replicas
//    than specified, unclean leader election, a compression that cannot be read (a partition would stop at the first
//    batch), and smaller batches than specified (records would be refused).
// #2 Any other difference, such as a longer retention, is reported and tolerated.

import type { TopicSpec } from "./topic-specs.ts";

export interface TopicFound {
  readonly partitions: number;
  /** Fewest replicas of any partition. */
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

export function compareTopic(spec: TopicSpec, found: TopicFound): readonly TopicDifference[] {
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

const readableCompressions = ["producer", "uncompressed", "gzip", "zstd"];

function isDangerous(name: string, wanted: string, found: string): boolean {
  if (name === "retention.ms" || name === "retention.bytes") return isShorter(wanted, found);
  if (name === "min.insync.replicas" || name === "max.message.bytes") return !(Number(found) >= Number(wanted));
  if (name === "compression.type") return !readableCompressions.includes(found);
  return true;
}

/** A retention of −1 is for ever. A text that is not a number counts as shorter. */
function isShorter(wanted: string, found: string): boolean {
  if (!/^-?\d+$/.test(found)) return true;
  if (BigInt(found) < 0n) return false;
  return BigInt(wanted) < 0n || BigInt(found) < BigInt(wanted);
}
