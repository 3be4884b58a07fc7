// Rebuilds one partition from its journal, while the system runs: folds it into a second build, compares, and switches.
//
// #1 It begins at offset 0, and refuses if that offset is no longer there.
// #2 The owner stops only for the last records: the partition is locked, folded to exactly its position, and what was
//    folded since the comparison is compared too. Builds share days, banks and ledgers: these are compared, and
//    replaced only where they differ.
// #3 If anything differs nothing is switched, unless the caller accepts that the journal is right: in everything, or
//    where other rules than today's may explain the difference.
// #4 A builder that dies leaves a build that nobody uses, and a lock that expires by itself. No build is used twice: a
//    removal that the dead builder asked for may land at any later time, and must not take documents that are in use.
//    The next builder removes what earlier ones left.
// #5 The store may go back to an older point while the partition is rebuilt. The lock and the new build are gone then:
//    a renewal writes the lock again, so the build itself is looked at before the switch.

import { topics } from "@sluice/contracts";
import {
  createOperatorSkips,
  type DoneSkips,
  type Messaging,
  readAroundSkips,
  type ReceivedRecord,
  requireSameLog,
} from "@sluice/messaging";
import { Fault } from "@sluice/kernel";
import type { PartitionDocument, Store } from "@sluice/store";
import { comparePartition, type ComparePartitionOptions, type PartitionComparison, type RebuildDifference } from "./compare-partition.ts";
import { PartitionFold, type PartitionFoldPorts } from "./partition-fold.ts";

export interface RebuildPorts extends Omit<PartitionFoldPorts, "partition" | "skips"> {
  readonly store: Pick<Store, "builds" | "days" | "banks" | "ledgers" | "partitions">;
  readonly messaging: Pick<Messaging, "ends" | "identity" | "read">;
  /** Names this builder in rebuild locks. */
  readonly builderId: string;
  readonly progress: (partition: number, done: bigint, of: bigint) => void;
}

export interface RebuildOptions {
  readonly isDryRun: boolean;
  /** The partitions of one rebuild share a build where they can: then a read of all of them is one read. */
  readonly leastBuild?: number;
  /** Which differences do not keep it from switching. */
  readonly accepts: "nothing" | "other-rules" | "everything";
}

export interface RebuiltPartition {
  readonly partition: number;
  /** Offset below which everything was folded. */
  readonly position: bigint;
  readonly documents: number;
  readonly compared: number;
  readonly differences: readonly RebuildDifference[];
  /** Transactions with a record that other rules than today's decided. */
  readonly byOtherRules: number;
  readonly isSwitched: boolean;
  /** The build that is in use from now on. */
  readonly build: number;
  /** The build that this rebuild claimed, whether it is in use now or not. */
  readonly claimed: number;
  /** Milliseconds during which no owner could continue; null if the partition was never locked. */
  readonly heldMs: number | null;
}

/** Milliseconds that a rebuild lock is valid without renewal. */
export const rebuildLockMs = 60_000;
const chunkRecords = 2_000;
const progressEvery = 10_000n;
/** Within this distance the rest is folded while the partition is locked. */
const nearRecords = 2_000n;
const roundsMax = 50;

/** Rebuilds a partition; null if it has nothing yet. */
export async function rebuildPartition(given: RebuildPorts, partition: number, options: RebuildOptions): Promise<RebuiltPartition | null> {
  const { store } = given;
  const byHand = await createOperatorSkips(given).listDone(topics.journal, partition);
  const messaging = readingAroundSkips(given, byHand);
  const ports = { ...given, messaging };
  const place = { topic: topics.journal, partition };
  const [ends] = await messaging.ends([place]);
  if (ends === undefined || ends.logStart !== 0n) {
    throw new Fault("rebuild.journal-cut", `partition ${partition}: the journal does not begin at 0`, { isRetryable: false });
  }
  const before = await findDocument(ports, partition);
  if (before === null) return null;
  requireSameLog(before.log, await given.messaging.identity(topics.journal), topics.journal);
  const build = await store.partitions.claimBuild(ports.service, partition, options.leastBuild ?? 0);
  if (build === null) return null;
  await store.builds.prepare(build);
  for (const left of await store.builds.list()) if (left > before.build && left < build) await store.builds.remove(partition, left);
  const skips = await createOperatorSkips(ports).listDone(topics.journal, partition);
  const fold = new PartitionFold({ ...ports, partition, skips }, store.builds.transactions(build));
  await foldNear(ports, partition, fold);
  const read = (from: bigint, to: bigint): AsyncIterable<ReceivedRecord> => messaging.read(place, from, to);
  const comparison: ComparePartitionOptions = {
    store,
    service: ports.service,
    partition,
    partitionCount: ports.partitionCount,
    fold,
    rulesVersion: ports.rulesVersion,
    from: before.build,
    to: build,
    uetrs: null,
    read,
  };
  const compared = await comparePartition(comparison);
  const { byOtherRules } = compared;
  const result = { partition, documents: fold.documents, compared: compared.documentsCompared, byOtherRules };
  const differences = explain(compared.differences, byOtherRules);
  if (options.isDryRun || !isAccepted(differences, options)) {
    await store.builds.remove(partition, build);
    return {
      ...result,
      position: fold.nextOffset,
      differences,
      isSwitched: false,
      build: before.build,
      claimed: build,
      heldMs: null,
    };
  }
  const end = await switchUnderLock(ports, { comparison, fold, compared }, options);
  if (!end.isSwitched) await store.builds.remove(partition, build);
  return { ...result, ...end, documents: fold.documents, build: end.isSwitched ? build : before.build, claimed: build };
}

function readingAroundSkips({ messaging, time }: RebuildPorts, skips: DoneSkips): RebuildPorts["messaging"] {
  return {
    ends: (partitions) => messaging.ends(partitions),
    identity: (topic) => messaging.identity(topic),
    read: (place, from, to) => readAroundSkips(messaging, skips, place, { from, to, nowMs: time.nowMs() }),
  };
}

async function findDocument({ store, service }: RebuildPorts, partition: number): Promise<PartitionDocument | null> {
  return (await store.partitions.list(service)).find((document) => document.partition === partition) ?? null;
}

/** Folds up to a position that the partition had a moment ago. */
async function foldNear(ports: RebuildPorts, partition: number, fold: PartitionFold): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    const position = (await findDocument(ports, partition))?.position ?? 0n;
    await foldTo(ports, partition, fold, position);
    const now = (await findDocument(ports, partition))?.position ?? 0n;
    if (now - fold.nextOffset <= nearRecords) return;
  }
}

async function foldTo(
  { messaging, progress }: RebuildPorts,
  partition: number,
  fold: PartitionFold,
  to: bigint,
  often?: () => Promise<void>,
): Promise<void> {
  if (to <= fold.nextOffset) return;
  const records: ReceivedRecord[] = [];
  let reportedAt = fold.nextOffset;
  for await (const record of messaging.read({ topic: topics.journal, partition }, fold.nextOffset, to)) {
    records.push(record);
    if (records.length < chunkRecords) continue;
    await fold.fold(records.splice(0));
    await often?.();
    if (fold.nextOffset - reportedAt < progressEvery) continue;
    reportedAt = fold.nextOffset;
    progress(partition, fold.nextOffset, to);
  }
  await fold.fold(records);
  progress(partition, to, to);
}

interface ComparedFold {
  readonly comparison: ComparePartitionOptions;
  readonly fold: PartitionFold;
  /** The comparison before the lock. */
  readonly compared: PartitionComparison;
}

type SwitchResult = Pick<RebuiltPartition, "position" | "compared" | "differences" | "isSwitched" | "heldMs">;

async function switchUnderLock(
  ports: RebuildPorts,
  { comparison, fold, compared }: ComparedFold,
  options: RebuildOptions,
): Promise<SwitchResult> {
  const { store, service, builderId, time } = ports;
  const { partition, to: build } = comparison;
  fold.touched.clear();
  const startedMs = time.monotonicMs();
  const lock = async (): Promise<PartitionDocument> => {
    const held = await store.partitions.lock(service, partition, { id: builderId, untilMs: time.nowMs() + rebuildLockMs });
    if (held === null)
      throw new Fault("rebuild.locked", `partition ${partition} is locked by another builder, or the lock was lost`, {
        isRetryable: false,
      });
    return held;
  };
  const { position } = await lock();
  try {
    // If the lock expired meanwhile and the owner continued, this fold is behind it. The epoch does not show it: an
    // owner raises it whenever it asks for the partition.
    const renew = async (): Promise<void> => {
      const again = await lock();
      if (again.position !== position)
        throw new Fault("rebuild.locked", `partition ${partition}: the lock was lost, and its owner continued`, { isRetryable: false });
    };
    await foldTo(ports, partition, fold, position, renew);
    const late = await comparePartition({ ...comparison, uetrs: [...fold.touched] });
    await renew();
    // #5
    await fold.requireStored();
    const differences = explain(mergeDifferences(compared.differences, late.differences), compared.byOtherRules);
    const outcome = { position, compared: compared.documentsCompared + late.documentsCompared, differences };
    if (!isAccepted(differences, options)) return { ...outcome, isSwitched: false, heldMs: time.monotonicMs() - startedMs };
    await replaceShared(ports, comparison, late.differences);
    const isSwitched = await store.partitions.switchTo(service, partition, builderId, { build, position, state: fold.markers.toState() });
    if (!isSwitched) throw new Fault("rebuild.locked", `partition ${partition}: the lock was lost`, { isRetryable: false });
    return { ...outcome, isSwitched, heldMs: time.monotonicMs() - startedMs };
  } finally {
    // The switch has already removed the lock.
    await store.partitions.unlock(service, partition, builderId).catch(() => false);
  }
}

/** Merges both comparisons: transactions of the first one count too; for everything else the later one counts. */
function mergeDifferences(before: readonly RebuildDifference[], late: readonly RebuildDifference[]): readonly RebuildDifference[] {
  const again = new Set(late.map(({ key }) => key));
  return [...before.filter(({ kind, key }) => kind === "transaction" && !again.has(key)), ...late];
}

/** Other rules may explain what differs beside the transactions, if they decided any of these. */
function explain(differences: readonly RebuildDifference[], byOtherRules: number): readonly RebuildDifference[] {
  if (byOtherRules === 0) return differences;
  return differences.map((one) => (one.kind === "transaction" ? one : { ...one, cause: "either" }));
}

function isAccepted(differences: readonly RebuildDifference[], { accepts }: RebuildOptions): boolean {
  if (accepts === "everything") return true;
  return differences.every(({ cause }) => accepts === "other-rules" && cause !== "store");
}

/** Replaces the stored days, banks and ledgers that differ: the journal is right. */
async function replaceShared(
  { store }: RebuildPorts,
  { fold, partition }: ComparePartitionOptions,
  differences: readonly RebuildDifference[],
): Promise<void> {
  const listKeys = (kind: RebuildDifference["kind"]): readonly string[] => [
    ...new Set(differences.filter((one) => one.kind === kind).map(({ key }) => key)),
  ];
  for (const key of listKeys("day")) {
    const day = fold.days.get(key);
    const stored = (await store.days.load([key])).get(key);
    if (day !== undefined) await store.days.write(day, stored?.version ?? 0);
  }
  for (const key of listKeys("bank")) {
    const state = fold.banks.get(key);
    const stored = (await store.banks.load([key])).get(key);
    if (state !== undefined) await store.banks.write(state, stored?.version ?? 0);
  }
  for (const day of listKeys("ledger")) {
    const stored = (await store.ledgers.load(partition, [day])).get(day);
    const version = stored?.version ?? 0;
    const rows = fold.ledgers.get(day)?.rows() ?? [];
    await store.ledgers.write({ partition, day, version: version + 1, through: fold.nextOffset, rows }, version);
  }
}
