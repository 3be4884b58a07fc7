// Keeps an operator of some schemes to them where only the store knows what a request is about. The rule is
// `refuseScheme` and `refuseTransaction` of contracts; the control API has applied it to address and query before.
//
// #1 A transaction that nothing is known of is refused here: it could have another scheme by the time its handler
//    looks.
// #2 A proposal is judged as what it proposes, for who confirms, rejects or retracts it and for who only sees it.
// #3 Its proposer is judged again when it is confirmed: the file may have taken the scheme away since.
// #4 Many proposals are judged with few reads of the store, and their number is bounded.

import {
  controlOperations,
  listNamedTransactions,
  refuseScheme,
  refuseTransaction,
  schemeScopes,
  type ControlOperationName,
  type NamedInRequest,
} from "@sluice/contracts";
import { type ControlDecisionName, readControlBody } from "@sluice/contracts/decision-bodies";
import type { Store } from "@sluice/store";
import { refuseNow, refuseWith } from "../decisions/decision.ts";
import type { KnownAsOf } from "../own-transactions/known-as-of.ts";
import type { ProposalBook } from "../proposals/proposal-book.ts";
import { readProposedPath, type Proposal } from "../proposals/proposal.ts";
import type { ControlAnswer, ControlHandler, ControlHandlers, ControlRequest, Operator } from "./control-handler.ts";

interface LookUpPorts {
  readonly store: { readonly transactions: Pick<Store["transactions"], "load"> };
  readonly knownAsOf: KnownAsOf;
}

export interface SchemePorts extends LookUpPorts {
  readonly book: ProposalBook;
}

type Schemes = Operator["schemes"];

/** Wraps each handler that is about transactions or a proposal. */
export function keepWithinSchemes<Handlers extends ControlHandlers>(ports: SchemePorts, handlers: Handlers): Handlers {
  const kept = Object.entries(handlers).map(([given, handler]) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of handlers are those of operations
    const name = given as ControlOperationName;
    return [name, keep(ports, name, handler)] as const;
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name has its own handler
  return Object.fromEntries(kept) as Handlers;
}

function keep(ports: SchemePorts, name: ControlOperationName, handler: ControlHandler): ControlHandler {
  return async (question) => {
    const { schemes } = question.operator;
    if (schemes === null) return await handler(question);
    const refused = schemeScopes[name] === "proposal" ? await judgeNamedProposal(ports, question) : await judge(ports, name, question);
    return refused ?? (await handler(question));
  };
}

type Judged = NamedInRequest & Pick<ControlRequest, "body"> & { readonly operator: Pick<Operator, "schemes"> };

/** Null: it is of the operator's schemes, as far as it names any. */
async function judge(ports: LookUpPorts, name: ControlOperationName, question: Judged): Promise<ControlAnswer | null> {
  const { schemes } = question.operator;
  const foreign = refuseScheme(name, schemes, question);
  if (foreign !== null) return refuseWith(403, "Not allowed", foreign);
  return schemeScopes[name] === "transactions" ? await judgeTransactions(ports, schemes, listUetrs(name, question)) : null;
}

/** A decision may name several in its body. A body that cannot be read is refused by its handler. */
function listUetrs(name: ControlOperationName, question: Judged): readonly string[] {
  const reading = isDecision(name) ? readControlBody(name, question.body) : null;
  return listNamedTransactions(question, reading?.ok === true ? reading.read.message : null);
}

const decisions: ReadonlySet<string> = new Set(controlOperations.flatMap(({ kind, name }) => (kind === "decision" ? [name] : [])));

function isDecision(name: ControlOperationName): name is ControlDecisionName {
  return decisions.has(name);
}

type Found = Awaited<ReturnType<Store["transactions"]["load"]>>;

async function judgeTransactions(
  { store, knownAsOf }: LookUpPorts,
  schemes: Schemes,
  uetrs: readonly string[],
): Promise<ControlAnswer | null> {
  const found = await store.transactions.load(uetrs);
  const missing = uetrs.filter((uetr) => !found.has(uetr));
  if (missing.length === 0) return judgeFound(found, schemes, uetrs);
  const times = await Promise.all(missing.map((uetr) => knownAsOf.timeFor(uetr)));
  if (times.includes(null)) return { kind: "unavailable", detail: "It is not known now whether there is such a transaction. Ask again." };
  return judgeFound(await store.transactions.load(uetrs), schemes, uetrs);
}

function judgeFound(found: Found, schemes: Schemes, uetrs: readonly string[]): ControlAnswer | null {
  for (const uetr of uetrs) {
    const transaction = found.get(uetr)?.transaction;
    // #1
    if (transaction === undefined) return refuseWith(404, "Not known", `Nothing is known of ${uetr}.`);
    const foreign = refuseTransaction(schemes, uetr, transaction.scheme);
    if (foreign !== null) return refuseWith(403, "Not allowed", foreign);
  }
  return null;
}

/** #2 */
async function judgeNamedProposal(ports: SchemePorts, { operator, path }: ControlRequest): Promise<ControlAnswer | null> {
  const proposal = (await ports.book.read()).find(path["action"] ?? "");
  return proposal === null
    ? refuseWith(404, "Not known", "There is no such proposal.")
    : await judgeProposal(ports, operator.schemes, proposal);
}

async function judgeProposal(ports: LookUpPorts, schemes: Schemes, proposal: Proposal): Promise<ControlAnswer | null> {
  return await judge(ports, proposal.operation, readProposed(schemes, proposal));
}

function readProposed(schemes: Schemes, proposal: Proposal): Judged {
  return {
    operator: { schemes },
    path: readProposedPath(proposal),
    query: new URLSearchParams(),
    body: new TextEncoder().encode(proposal.body),
  };
}

/**
 * #3 `schemes` are its proposer's. Null: the proposer has all that it is about. Who confirms learns neither of another
 * scheme nor which ones the proposer has now.
 */
export async function judgeProposer(ports: LookUpPorts, schemes: Schemes, proposal: Proposal): Promise<ControlAnswer | null> {
  if (schemes === null) return null;
  const refused = await judgeProposal(ports, schemes, proposal);
  return refused?.kind === "refused" && refused.status === 403 ? refuseNow("proposer-without-scheme") : refused;
}

export interface SelectedProposals {
  readonly own: readonly Proposal[];
  /** The last one that was judged; null: there is none. */
  readonly last: Proposal | null;
  /** False: `loadsMax` ended it before the last one, and before `limit` were found. */
  readonly isWhole: boolean;
}

/** The first `limit` of these proposals that an operator of these schemes has, in their order. */
export async function selectProposals(
  { store }: { readonly store: LookUpPorts["store"] },
  schemes: Schemes,
  proposals: readonly Proposal[],
  limit: number,
): Promise<SelectedProposals> {
  if (schemes === null) return { own: proposals.slice(0, limit), last: null, isWhole: true };
  const own: Proposal[] = [];
  let last: Proposal | null = null;
  let loads = 0;
  for (const some of splitForLoads(schemes, proposals, Math.max(limit, togetherMin))) {
    if (own.length >= limit) break;
    const uetrs = [...new Set(some.flatMap((one) => one.uetrs))];
    // #4
    if (uetrs.length > 0 && loads === loadsMax) return { own, last, isWhole: false };
    if (uetrs.length > 0) loads += 1;
    const found: Found = uetrs.length === 0 ? new Map() : await store.transactions.load(uetrs);
    own.push(...some.filter((one) => !one.isForeign && judgeFound(found, schemes, one.uetrs) === null).map(({ proposal }) => proposal));
    last = some.at(-1)?.proposal ?? last;
  }
  return { own: own.slice(0, limit), last, isWhole: true };
}

/** Transactions of one load. One decision names at most 500, so that two always fit. */
const loadedMax = 1_000;
const loadsMax = 10;
/** Fewer proposals than these are not worth a load of their own. */
const togetherMin = 32;

interface NamingProposal {
  readonly proposal: Proposal;
  readonly isForeign: boolean;
  /** The transactions that decide whether it is foreign. */
  readonly uetrs: readonly string[];
}

function* splitForLoads(schemes: Schemes, proposals: readonly Proposal[], togetherMax: number): Generator<readonly NamingProposal[]> {
  let some: NamingProposal[] = [];
  let named = 0;
  for (const proposal of proposals) {
    const one = readNaming(schemes, proposal);
    if (some.length > 0 && (some.length === togetherMax || named + one.uetrs.length > loadedMax)) {
      yield some;
      some = [];
      named = 0;
    }
    some.push(one);
    named += one.uetrs.length;
  }
  if (some.length > 0) yield some;
}

function readNaming(schemes: Schemes, proposal: Proposal): NamingProposal {
  const { operation } = proposal;
  const question = readProposed(schemes, proposal);
  const isForeign = refuseScheme(operation, schemes, question) !== null;
  return { proposal, isForeign, uetrs: !isForeign && schemeScopes[operation] === "transactions" ? listUetrs(operation, question) : [] };
}
