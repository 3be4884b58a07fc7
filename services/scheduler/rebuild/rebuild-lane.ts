// One lane built anew from its journal, while the system runs: folded into a second build, compared, and switched to.
//
// 1. It begins at offset 0, and refuses if that is not there any more.
// 2. The owner stops only for the last records: the lane is held under a lease, folded to exactly its position, and what was folded since the
//    comparison is compared too. Days, banks and ledgers are shared by the builds: they are compared, and replaced only where they differ.
// 3. Where anything differs nothing is switched, unless whoever asked accepts that the journal is right.
// 4. A builder that dies leaves a build that nobody uses, which the next one removes, and a hold that ends by itself.

import { topics } from "@sluice/contracts";
import { createAsides } from "@sluice/messaging";
import type { Messaging, ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/runtime";
import type { LaneDocument, Store } from "@sluice/store";
import { compareLane } from "./compare-lane.ts";
import type { CompareOptions, ComparedLane, Difference } from "./compare-lane.ts";
import { LaneFold } from "./lane-fold.ts";
import type { FoldPorts } from "./lane-fold.ts";

export interface RebuildPorts extends Omit<FoldPorts, "lane" | "byHand"> {
  readonly store: Pick<Store, "builds" | "days" | "banks" | "ledgers" | "lanes">;
  readonly messaging: Pick<Messaging, "ends" | "read">;
  /** Names this builder in holds. */
  readonly holder: string;
  readonly progress: (lane: number, done: bigint, of: bigint) => void;
}

export interface RebuildOptions {
  readonly isDryRun: boolean;
  readonly acceptsDifferences: boolean;
}

export interface RebuiltLane {
  readonly lane: number;
  /** Offset below which all was folded. */
  readonly position: bigint;
  readonly documents: number;
  readonly compared: number;
  readonly differences: readonly Difference[];
  readonly isSwitched: boolean;
  /** The build in use from now on. */
  readonly build: number;
  /** How long no owner could go on, milliseconds; null: it was never held. */
  readonly heldMs: number | null;
}

export const leaseMs = 60_000;
const chunkRecords = 2_000;
const progressEvery = 10_000n;
/** Nearer than this the rest is folded while the lane is held. */
const nearRecords = 2_000n;
const roundsMax = 50;

/** Null: the lane has nothing yet. */
export async function rebuildLane(ports: RebuildPorts, lane: number, options: RebuildOptions): Promise<RebuiltLane | null> {
  const { store, messaging } = ports;
  const partition = { topic: topics.journal, partition: lane };
  const [ends] = await messaging.ends([partition]);
  if (ends === undefined || ends.logStart !== 0n) {
    throw new Fault("rebuild.journal-cut", `lane ${lane}: the journal does not begin at 0`, { isRetryable: false });
  }
  const begun = await documentOf(ports, lane);
  if (begun === null) return null;
  const build = begun.build + 1;
  await store.builds.prepare(build);
  await store.builds.remove(lane, build);
  const byHand = await createAsides(ports).done(topics.journal, lane);
  const fold = new LaneFold({ ...ports, lane, byHand }, store.builds.transactions(build));
  await foldNear(ports, lane, fold);
  const read = (from: bigint, to: bigint): AsyncIterable<ReceivedRecord> => messaging.read(partition, from, to);
  const comparison: CompareOptions = {
    store,
    service: ports.service,
    lane,
    lanes: ports.lanes,
    fold,
    from: begun.build,
    to: build,
    uetrs: null,
    read,
  };
  const compared = await compareLane(comparison);
  const so = { lane, documents: fold.documents, compared: compared.compared };
  if (options.isDryRun || (compared.differences.length > 0 && !options.acceptsDifferences)) {
    await store.builds.remove(lane, build);
    return { ...so, position: fold.nextOffset, differences: compared.differences, isSwitched: false, build: begun.build, heldMs: null };
  }
  const end = await underHold(ports, { comparison, fold, compared }, options);
  if (!end.isSwitched) await store.builds.remove(lane, build);
  return { ...so, ...end, documents: fold.documents, build: end.isSwitched ? build : begun.build };
}

async function documentOf({ store, service }: RebuildPorts, lane: number): Promise<LaneDocument | null> {
  return (await store.lanes.list(service)).find(({ partition }) => partition === lane) ?? null;
}

/** Folds up to a position that the lane had a moment ago. */
async function foldNear(ports: RebuildPorts, lane: number, fold: LaneFold): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    const position = (await documentOf(ports, lane))?.position ?? 0n;
    await foldTo(ports, lane, fold, position);
    const now = (await documentOf(ports, lane))?.position ?? 0n;
    if (now - fold.nextOffset <= nearRecords) return;
  }
}

async function foldTo(
  { messaging, progress }: RebuildPorts,
  lane: number,
  fold: LaneFold,
  to: bigint,
  often?: () => Promise<void>,
): Promise<void> {
  if (to <= fold.nextOffset) return;
  const records: ReceivedRecord[] = [];
  let toldAt = fold.nextOffset;
  for await (const record of messaging.read({ topic: topics.journal, partition: lane }, fold.nextOffset, to)) {
    records.push(record);
    if (records.length < chunkRecords) continue;
    await fold.take(records.splice(0));
    await often?.();
    if (fold.nextOffset - toldAt < progressEvery) continue;
    toldAt = fold.nextOffset;
    progress(lane, fold.nextOffset, to);
  }
  await fold.take(records);
  progress(lane, to, to);
}

interface Built {
  readonly comparison: CompareOptions;
  readonly fold: LaneFold;
  /** Before the hold. */
  readonly compared: ComparedLane;
}

type Ended = Pick<RebuiltLane, "position" | "compared" | "differences" | "isSwitched" | "heldMs">;

async function underHold(ports: RebuildPorts, { comparison, fold, compared }: Built, options: RebuildOptions): Promise<Ended> {
  const { store, service, holder, time } = ports;
  const { lane, to: build } = comparison;
  fold.touched.clear();
  const startedMs = time.monotonicMs();
  const hold = async (): Promise<LaneDocument> => {
    const held = await store.lanes.hold(service, lane, { id: holder, untilMs: time.nowMs() + leaseMs });
    if (held === null) throw new Fault("rebuild.held", `lane ${lane} is held by another, or the lease was lost`, { isRetryable: false });
    return held;
  };
  const { position } = await hold();
  try {
    // Where the hold was over meanwhile and the owner went on, this fold is behind it. The epoch does not say so: an owner raises it whenever it asks.
    const renew = async (): Promise<void> => {
      const again = await hold();
      if (again.position !== position)
        throw new Fault("rebuild.held", `lane ${lane}: the lease was lost, and its owner went on`, { isRetryable: false });
    };
    await foldTo(ports, lane, fold, position, renew);
    const late = await compareLane({ ...comparison, uetrs: [...fold.touched] });
    await renew();
    const differences = merged(compared.differences, late.differences);
    const so = { position, compared: compared.compared + late.compared, differences };
    if (differences.length > 0 && !options.acceptsDifferences) return { ...so, isSwitched: false, heldMs: time.monotonicMs() - startedMs };
    await replaceShared(ports, comparison, late.differences);
    const isSwitched = await store.lanes.switchTo(service, lane, holder, { build, position, state: fold.markers.toState() });
    if (!isSwitched) throw new Fault("rebuild.held", `lane ${lane}: the lease was lost`, { isRetryable: false });
    return { ...so, isSwitched, heldMs: time.monotonicMs() - startedMs };
  } finally {
    // After a switch there is nothing to end.
    await store.lanes.release(service, lane, holder).catch(() => false);
  }
}

/** Transactions of the first comparison; of all else the later one counts. */
function merged(before: readonly Difference[], late: readonly Difference[]): readonly Difference[] {
  const again = new Set(late.map(({ key }) => key));
  return [...before.filter(({ kind, key }) => kind === "transaction" && !again.has(key)), ...late];
}

/** The journal is right: what it makes of days, banks and ledgers takes the place of what lies there. */
async function replaceShared({ store }: RebuildPorts, { fold, lane }: CompareOptions, differences: readonly Difference[]): Promise<void> {
  const keysOf = (kind: Difference["kind"]): readonly string[] => [
    ...new Set(differences.filter((one) => one.kind === kind).map(({ key }) => key)),
  ];
  for (const key of keysOf("day")) {
    const day = fold.days.get(key);
    const stored = (await store.days.load([key])).get(key);
    if (day !== undefined) await store.days.write(day, stored?.version ?? 0);
  }
  for (const key of keysOf("bank")) {
    const standing = fold.banks.get(key);
    const stored = (await store.banks.load([key])).get(key);
    if (standing !== undefined) await store.banks.write(standing, stored?.version ?? 0);
  }
  for (const day of keysOf("ledger")) {
    const stored = (await store.ledgers.load(lane, [day])).get(day);
    const version = stored?.version ?? 0;
    const rows = fold.ledgers.get(day)?.rows() ?? [];
    await store.ledgers.write({ lane, day, version: version + 1, through: fold.nextOffset, rows }, version);
  }
}
