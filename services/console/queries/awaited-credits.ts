// Lists by UETR the credits that keep a bank's gate closed, which the partitions' answers only count. The domain has
// the rule (`isCreditAwaited`); the offset of the declaration in each partition comes from the markers applied there.
//
// #1 The list is exact for the stored snapshots. A credit that its partition has not applied yet is in no snapshot, but
//    then the partition has not answered either.
// #2 A credit in the dead letters that nobody has read keeps the gate of every bank closed, so it is named too.
// #3 At most `awaitedCreditsMax` credits are named; `isMore` says that there are others.

import { isCreditAwaited, type Day, type Declaration, type State, toCreditAtGate } from "@sluice/domain";
import type { PartitionDocument, Store, SummaryRow } from "@sluice/store";

export interface AwaitedCredits {
  /** Sorted by UETR. */
  readonly uetrs: readonly string[];
  /** True if more credits are awaited than are named. */
  readonly isMore: boolean;
}

export const awaitedCreditsMax = 1_000;
const pageRows = 1_000;
/** Rows that are checked for one bank, so that an answer comes in time. */
const checkedRowsMax = 20_000;

export const unresolvedCredits = [
  "CREDIT_AUTH_RECEIVED",
  "CREDIT_AUTH_ACCEPTED",
  "CREDIT_AUTH_DELIVERY_PENDING",
  "CREDIT_AUTH_DELIVERED",
] as const satisfies readonly State[];

/** Orphans whose dead letters may hold a credit to any bank; one that a replay left is quarantined no more. */
const unreadMessages = { state: "ORPHAN" } as const;

/** `declarationId` names the declaration that the bank's gate waits for (see the domain's gate status). */
export async function listAwaitedCredits(
  store: Pick<Store, "transactions" | "partitions">,
  day: Day,
  bank: string,
  declarationId: string,
): Promise<AwaitedCredits> {
  const declaration = day.declarations.find(({ id }) => id === declarationId);
  if (declaration === undefined) return { uetrs: [], isMore: false };
  const declaredAt = findDeclarationOffsets(await store.partitions.list("scheduler"), declaration.id);
  const found: string[] = [];
  let checkedRows = 0;
  const ofBank = unresolvedCredits.map((state) => ({ flow: "credit", bank, scheme: day.plan.scheme, state }) as const);
  for (const query of [...ofBank, unreadMessages]) {
    let after: string | null = null;
    do {
      if (found.length > awaitedCreditsMax || checkedRows >= checkedRowsMax) return nameCredits(found, true);
      const rows: readonly SummaryRow[] = await store.transactions.search(query, after, pageRows);
      found.push(...(await filterAwaited(store, rows, { day, declaration, declaredAt })));
      checkedRows += rows.length;
      after = rows.length === pageRows ? (rows.at(-1)?.uetr ?? null) : null;
    } while (after !== null);
  }
  return nameCredits(found, found.length > awaitedCreditsMax);
}

function nameCredits(found: readonly string[], isMore: boolean): AwaitedCredits {
  return { uetrs: found.toSorted().slice(0, awaitedCreditsMax), isMore };
}

interface GateQuestion {
  readonly day: Day;
  readonly declaration: Declaration;
  readonly declaredAt: ReadonlyMap<number, bigint>;
}

async function filterAwaited(
  store: Pick<Store, "transactions">,
  rows: readonly SummaryRow[],
  asked: GateQuestion,
): Promise<readonly string[]> {
  if (rows.length === 0) return [];
  const { plan } = asked.day;
  const declared = { scheme: plan.scheme, businessDate: plan.businessDate, bank: asked.declaration.bank };
  const documents = await store.transactions.load(rows.map(({ uetr }) => uetr));
  return [...documents.values()].flatMap(({ transaction }) => {
    const credit = toCreditAtGate(transaction);
    const declaredOffset = asked.declaredAt.get(transaction.partition);
    if (credit === null || declaredOffset === undefined) return [];
    return isCreditAwaited(credit, declared, declaredOffset) ? [transaction.uetr] : [];
  });
}

/** Offsets at which the partitions applied the declaration's marker; a partition that has not applied it is absent. */
function findDeclarationOffsets(partitions: readonly PartitionDocument[], declarationId: string): ReadonlyMap<number, bigint> {
  return new Map(
    partitions.flatMap(({ partition, state }) => {
      const passed = markersIn(state).find(({ marker }) => marker.id === declarationId);
      return passed === undefined ? [] : [[partition, BigInt(passed.offset)] as const];
    }),
  );
}

interface StoredMarker {
  readonly marker: { readonly id: string };
  readonly offset: string;
}

/** Reads the applied markers out of the scheduler's state of a partition, and nothing else of it. */
function markersIn(state: unknown): readonly StoredMarker[] {
  if (typeof state !== "object" || state === null || !("markers" in state) || !Array.isArray(state.markers)) return [];
  return state.markers.filter(isStoredMarker);
}

function isStoredMarker(given: unknown): given is StoredMarker {
  if (typeof given !== "object" || given === null || !("marker" in given) || !("offset" in given)) return false;
  const { marker, offset } = given;
  return typeof offset === "string" && /^\d+$/.test(offset) && typeof marker === "object" && marker !== null && "id" in marker;
}
