// Which credits keep the gate of a bank closed, by name: what the lanes' answers count. The rule is the domain's (`isCreditAwaited`); each
// lane's place of the declaration is read from what the lane has passed.
//
// #1 Exact as of the snapshots: a credit that a lane has not applied yet is in no snapshot, but then the lane has not answered either.
// #2 At most `awaitedCreditsMax` are named; beyond that it is said that there are more.

import { isCreditAwaited, type Day, type Declaration, type State } from "@sluice/domain";
import type { LaneDocument, Store, SummaryRow } from "@sluice/store";

export interface AwaitedCredits {
  /** In order of UETR. */
  readonly uetrs: readonly string[];
  /** There are more than these. */
  readonly isMore: boolean;
}

export const awaitedCreditsMax = 1_000;
const pageRows = 1_000;
/** Rows looked at for one bank, so that a question ends. */
const lookedAtMax = 20_000;

const unresolvedCredits = [
  "CREDIT_AUTH_RECEIVED",
  "CREDIT_AUTH_ACCEPTED",
  "CREDIT_AUTH_DELIVERY_PENDING",
  "CREDIT_AUTH_DELIVERED",
] as const satisfies readonly State[];

/** `declarationId`: the declaration that the bank's gate waits for (`gateStanding`). */
export async function awaitedCredits(
  store: Pick<Store, "transactions" | "lanes">,
  day: Day,
  bank: string,
  declarationId: string,
): Promise<AwaitedCredits> {
  const declaration = day.declarations.find(({ id }) => id === declarationId);
  if (declaration === undefined) return { uetrs: [], isMore: false };
  const declaredAt = declaredOffsets(await store.lanes.list("scheduler"), declaration.id);
  const found: string[] = [];
  let lookedAt = 0;
  for (const state of unresolvedCredits) {
    let after: string | null = null;
    do {
      if (found.length > awaitedCreditsMax || lookedAt >= lookedAtMax) return namedOf(found, true);
      const query = { flow: "credit", bank, scheme: day.plan.scheme, state } as const;
      const rows: readonly SummaryRow[] = await store.transactions.search(query, after, pageRows);
      found.push(...(await awaited(store, rows, { day, declaration, declaredAt })));
      lookedAt += rows.length;
      after = rows.length === pageRows ? (rows.at(-1)?.uetr ?? null) : null;
    } while (after !== null);
  }
  return namedOf(found, found.length > awaitedCreditsMax);
}

function namedOf(found: readonly string[], isMore: boolean): AwaitedCredits {
  return { uetrs: found.toSorted().slice(0, awaitedCreditsMax), isMore };
}

interface Asked {
  readonly day: Day;
  readonly declaration: Declaration;
  readonly declaredAt: ReadonlyMap<number, bigint>;
}

async function awaited(store: Pick<Store, "transactions">, rows: readonly SummaryRow[], asked: Asked): Promise<readonly string[]> {
  if (rows.length === 0) return [];
  const { plan } = asked.day;
  const declared = { scheme: plan.scheme, businessDate: plan.businessDate, bank: asked.declaration.bank };
  const documents = await store.transactions.load(rows.map(({ uetr }) => uetr));
  return [...documents.values()].flatMap(({ transaction }) => {
    const [first] = transaction.transitions;
    const declaredOffset = asked.declaredAt.get(transaction.lane);
    if (first === undefined || declaredOffset === undefined) return [];
    return isCreditAwaited({ ...transaction, receivedOffset: first.offset }, declared, declaredOffset) ? [transaction.uetr] : [];
  });
}

/** Where each lane passed the declaration's marker; a lane that has not is absent. */
export function declaredOffsets(lanes: readonly LaneDocument[], declarationId: string): ReadonlyMap<number, bigint> {
  return new Map(
    lanes.flatMap(({ partition, state }) => {
      const passed = markersIn(state).find(({ marker }) => marker.id === declarationId);
      return passed === undefined ? [] : [[partition, BigInt(passed.offset)] as const];
    }),
  );
}

interface StoredMarker {
  readonly marker: { readonly id: string };
  readonly offset: string;
}

/** Of what the scheduler keeps of a lane: only what is looked for here. */
function markersIn(state: unknown): readonly StoredMarker[] {
  if (typeof state !== "object" || state === null || !("markers" in state) || !Array.isArray(state.markers)) return [];
  return state.markers.filter(isStoredMarker);
}

function isStoredMarker(given: unknown): given is StoredMarker {
  if (typeof given !== "object" || given === null || !("marker" in given) || !("offset" in given)) return false;
  const { marker, offset } = given;
  return typeof offset === "string" && /^\d+$/.test(offset) && typeof marker === "object" && marker !== null && "id" in marker;
}
