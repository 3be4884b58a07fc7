// Keeps an operator of some schemes to them where only the store knows what a request is about. The rule is
// `refuseScheme` and `refuseTransaction` of contracts; the control API has applied it to address and query before.
//
// #1 A transaction that nothing is known of is refused here: it could have another scheme by the time its handler
//    looks.
// #2 A proposal is judged as what it proposes, for who confirms, rejects or retracts it and for who only sees it. Its
//    proposer is judged again when it is confirmed: the file may have taken the scheme away since.

import {
  type ControlDecisionName,
  controlOperations,
  listNamedTransactions,
  readControlBody,
  refuseScheme,
  refuseTransaction,
  schemeScopes,
  type ControlOperationName,
  type NamedInRequest,
} from "@sluice/contracts";
import type { Store } from "@sluice/store";
import { refuseWith } from "../decisions/decision.ts";
import type { KnownAsOf } from "../own-transactions/known-as-of.ts";
import type { ProposalBook } from "../proposals/proposal-book.ts";
import { readProposedPath, type Proposal } from "../proposals/proposal.ts";
import type { ControlAnswer, ControlHandler, ControlHandlers, ControlRequest, Operator } from "./control-handler.ts";

interface LookUpPorts {
  readonly store: { readonly transactions: Pick<Store["transactions"], "load"> };
  /** Null: what is not stored yet is not waited for. */
  readonly knownAsOf: KnownAsOf | null;
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

async function judgeTransactions(
  { store, knownAsOf }: LookUpPorts,
  schemes: Schemes,
  uetrs: readonly string[],
): Promise<ControlAnswer | null> {
  let found = await store.transactions.load(uetrs);
  const missing = uetrs.filter((uetr) => !found.has(uetr));
  if (missing.length > 0 && knownAsOf !== null) {
    const times = await Promise.all(missing.map((uetr) => knownAsOf.timeFor(uetr)));
    if (times.includes(null)) return { kind: "unavailable", detail: "It is not known now whether there is such a transaction. Ask again." };
    found = await store.transactions.load(uetrs);
  }
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
  const question = {
    operator: { schemes },
    path: readProposedPath(proposal),
    query: new URLSearchParams(),
    body: new TextEncoder().encode(proposal.body),
  };
  return await judge(ports, proposal.operation, question);
}

/** Proposals that are judged at once. */
const atOnceMax = 32;

/** The first `limit` of these proposals that an operator of these schemes has, in their order. */
export async function selectProposals(
  { store }: Pick<SchemePorts, "store">,
  schemes: Schemes,
  proposals: readonly Proposal[],
  limit: number,
): Promise<readonly Proposal[]> {
  if (schemes === null) return proposals.slice(0, limit);
  const own: Proposal[] = [];
  for (let from = 0; from < proposals.length && own.length < limit; from += atOnceMax) {
    const judged = proposals.slice(from, from + atOnceMax).map(async (proposal) => {
      const refused = await judgeProposal({ store, knownAsOf: null }, schemes, proposal);
      return refused === null ? [proposal] : [];
    });
    own.push(...(await Promise.all(judged)).flat());
  }
  return own.slice(0, limit);
}
