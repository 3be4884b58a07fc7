// Looks banks, connectors and schemes of a configuration up by maps that are built once for each list of a
// configuration, so that no request and no record searches a list of a thousand banks.
//
// #1 The bank of a message's agent is found by its memberId, its bicfi or its branch; one known member is enough.
//    Ingress (who may send a message) and validator (which bank receives the debit) share this rule.
// #2 Members that lead to different banks contradict each other, and the result is `contradicting`, never a guess.
// #3 Branch ranges are in order of their begin, and an earlier range that ends later replaces a shorter one inside it.
//    The reader refuses ranges of two banks that overlap.

import type { Bank, Configuration, Connector, Scheme } from "./configuration.ts";

export interface AgentNames {
  readonly memberId: string | null;
  readonly bicfi: string | null;
  readonly branch: { readonly identification: string } | null;
}

export type AgentBank = { readonly kind: "known"; readonly bank: Bank } | { readonly kind: "unknown" } | { readonly kind: "contradicting" };

interface BranchRange {
  readonly from: string;
  readonly to: string;
  readonly bank: Bank;
}

interface AgentIndex {
  readonly byMemberId: ReadonlyMap<string, Bank>;
  readonly byBicfi: ReadonlyMap<string, Bank>;
  /** #3 */
  readonly branchRanges: readonly BranchRange[];
}

const idIndexes = new WeakMap<readonly { readonly id: string }[], ReadonlyMap<string, unknown>>();
const agentIndexes = new WeakMap<readonly Bank[], AgentIndex>();

function indexById<T extends { readonly id: string }>(list: readonly T[]): ReadonlyMap<string, T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the map of a list has the elements of the list
  const known = idIndexes.get(list) as ReadonlyMap<string, T> | undefined;
  if (known !== undefined) return known;
  const made = new Map(list.map((one) => [one.id, one]));
  idIndexes.set(list, made);
  return made;
}

function indexAgents(banks: readonly Bank[]): AgentIndex {
  const known = agentIndexes.get(banks);
  if (known !== undefined) return known;
  const agents = banks.flatMap((bank) => bank.agents.map((agent) => ({ bank, agent })));
  const made = {
    byMemberId: new Map(agents.flatMap(({ bank, agent }) => (agent.memberId === null ? [] : [[agent.memberId, bank]]))),
    byBicfi: new Map(agents.flatMap(({ bank, agent }) => (agent.bicfi === null ? [] : [[agent.bicfi, bank]]))),
    branchRanges: sortRanges(agents.flatMap(({ bank, agent }) => agent.branchRanges.map(([from, to]) => ({ from, to, bank })))),
  };
  agentIndexes.set(banks, made);
  return made;
}

/** #3 */
function sortRanges(ranges: readonly BranchRange[]): readonly BranchRange[] {
  const sorted: BranchRange[] = [];
  for (const range of ranges.toSorted((a, b) => compare(a.from, b.from) || compare(b.to, a.to))) {
    const before = sorted.at(-1);
    if (before === undefined || range.to > before.to) sorted.push(range);
  }
  return sorted;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export function findBank({ banks }: Pick<Configuration, "banks">, id: string): Bank | undefined {
  return indexById(banks).get(id);
}

export function findConnector({ connectors }: Pick<Configuration, "connectors">, id: string): Connector | undefined {
  return indexById(connectors).get(id);
}

export function findScheme({ schemes }: Pick<Configuration, "schemes">, id: string): Scheme | undefined {
  return indexById(schemes).get(id);
}

/** #1, #2 */
export function findAgentBank({ banks }: Pick<Configuration, "banks">, { memberId, bicfi, branch }: AgentNames): AgentBank {
  const { byMemberId, byBicfi, branchRanges } = indexAgents(banks);
  const ofMember = memberId === null ? undefined : byMemberId.get(memberId);
  const ofBicfi = bicfi === null ? undefined : byBicfi.get(bicfi);
  const ofBranch = branch === null ? undefined : findInRanges(branchRanges, branch.identification);
  const bank = ofMember ?? ofBicfi ?? ofBranch;
  if (bank === undefined) return { kind: "unknown" };
  const isSame = (ofMember ?? bank) === bank && (ofBicfi ?? bank) === bank && (ofBranch ?? bank) === bank;
  return isSame ? { kind: "known", bank } : { kind: "contradicting" };
}

/** Branch codes are six digits, so their order as text is their order as numbers. */
function findInRanges(ranges: readonly BranchRange[], branch: string): Bank | undefined {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.from ?? "") <= branch) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low - 1];
  return range !== undefined && branch.length === range.from.length && branch <= range.to ? range.bank : undefined;
}
