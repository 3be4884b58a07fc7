// listActions: what operators decided between two instants, the newest first: about transactions, days and banks, and
// what they proposed, confirmed, rejected and retracted.
//
// #1 It lists what the aggregates keep: the last ten decisions of a transaction, the last twenty of a day or a bank.
//    The journal has all of them.
// #2 At most `transactionsMax` transactions and `daysMax` days are read; the answer says where there were more.
// #3 An operator of some schemes has what was decided about their days and transactions: nothing about banks, and no
//    proposal about something else.
// #4 Proposals of another time, person or kind are left out before anything is read about the others.

import type { Configuration } from "@sluice/config";
import { isOfSchemes } from "@sluice/contracts";
import type { OperatorAction } from "@sluice/domain";
import type { Store } from "@sluice/store";
import type { ControlHandler, Operator } from "../http/control-handler.ts";
import { selectProposals } from "../http/within-schemes.ts";
import { formatInstant } from "../http/bank-answer.ts";
import { readProposalState, type Proposal } from "../proposals/proposal.ts";
import type { ProposalBook } from "../proposals/proposal-book.ts";
import { actionView, invalidRequest } from "../views/control-values.ts";
import { isConfirmationAwaited } from "../views/item-view.ts";

export interface ActionsPorts {
  readonly store: Pick<Store, "transactions" | "days" | "banks">;
  readonly book: ProposalBook;
  readonly configuration: Pick<Configuration, "schemes">;
  readonly brokerNowMs: () => number | null;
}

interface Asked {
  readonly fromMs: number;
  readonly toMs: number;
  readonly operator: string | undefined;
  readonly kind: string | undefined;
}

interface Decided {
  readonly key: string;
  readonly kind: string;
  readonly result: string;
  readonly why: string | null;
  readonly atMs: number;
  readonly offset: bigint;
  readonly action: OperatorAction | Proposal["action"];
  /** Left out: it is no resolution of an item. */
  readonly awaitsConfirmation?: boolean;
}

/** The store's bound of one search and of one load. */
const transactionsMax = 1_000;
const daysMax = 1_000;
const dayMs = 86_400_000;
const daysBackDefault = 7;
/** A decision about a day is made at most so long before it, or after it. */
const [daysBefore, daysAfter] = [7, 14];

export type ActionRow = ReturnType<typeof decidedView>;

export function listActions(ports: ActionsPorts): ControlHandler {
  return async ({ query, operator }) => {
    const found = await loadActions(ports, query, operator.schemes);
    return "kind" in found ? found : { kind: "found", body: { schema: "Actions", ...found } };
  };
}

/** What was decided in the time that the query gives, or why it cannot be answered. */
export async function loadActions(ports: ActionsPorts, query: URLSearchParams, schemes: Operator["schemes"]) {
  const asked = parseAsked(query, ports.brokerNowMs());
  if (asked === null) return { kind: "unavailable", detail: "No time of the log is known yet. Give from and to, or ask again." } as const;
  if (typeof asked === "string") return invalidRequest(asked);
  const [ofTransactions, ofDays, ofBanks, proposals] = await Promise.all([
    listOfTransactions(ports, asked, schemes),
    listOfDays(ports, asked, schemes),
    schemes === null ? ports.store.banks.all() : [],
    listProposalsOf(ports, asked, schemes),
  ]);
  const banks = ofBanks.flatMap(({ bank, decisions }) => decisions.map((one) => ({ ...one, key: `bank:${bank}` })));
  const all: readonly Decided[] = [...ofTransactions.decided, ...ofDays.decided, ...banks, ...proposals.decided];
  const rows = all.filter((one) => isAsked(one, asked)).toSorted((a, b) => b.atMs - a.atMs);
  return {
    from: formatInstant(asked.fromMs),
    to: formatInstant(asked.toMs),
    rows: rows.map(decidedView),
    isWhole: ofTransactions.isWhole && ofDays.isWhole && proposals.isWhole,
  };
}

/** Null: no time is known. A text says what is wrong. */
function parseAsked(query: URLSearchParams, nowMs: number | null): Asked | string | null {
  const [from, to] = [parseInstant(query.get("from")), parseInstant(query.get("to"))];
  if (from === undefined) return "from: an instant, for example 2026-11-20T06:00:00Z.";
  if (to === undefined) return "to: an instant, for example 2026-11-20T06:00:00Z.";
  const operator = query.get("operator") ?? undefined;
  const kind = query.get("kind") ?? undefined;
  if (kind !== undefined && !/^\w{1,64}$/.test(kind)) return "kind: the record of a decision, for example WithdrawalRequested.";
  const toMs = to ?? nowMs;
  if (toMs === null) return null;
  return { fromMs: from ?? toMs - daysBackDefault * dayMs, toMs, operator, kind };
}

/** Undefined: it is none. */
function parseInstant(text: string | null): number | null | undefined {
  if (text === null) return null;
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    return undefined;
  }
}

/** #1 #2 */
async function listOfTransactions({ store, brokerNowMs }: ActionsPorts, asked: Asked, schemes: Operator["schemes"]) {
  const found = await store.transactions.search({ decided: asked, schemes: schemes ?? undefined }, null, transactionsMax);
  const loaded = await store.transactions.load(found.map(({ uetr }) => uetr));
  const decided = [...loaded].flatMap(
    ([
      key,
      {
        transaction: { decisions, items },
      },
    ]) =>
      decisions.map((one): Decided => ({ ...one, key, awaitsConfirmation: isConfirmationAwaited(items, one.action.id, brokerNowMs()) })),
  );
  return { decided, isWhole: found.length < transactionsMax };
}

/** #2 */
async function listOfDays({ store, configuration }: ActionsPorts, { fromMs, toMs }: Asked, schemes: Operator["schemes"]) {
  const keys = configuration.schemes.flatMap(({ id, takesDebits }) =>
    takesDebits && isOfSchemes(schemes, id) ? listDates(fromMs, toMs).map((date) => `${id}:${date}`) : [],
  );
  const days = await store.days.load(keys.slice(-daysMax));
  const decided = [...days.values()].flatMap(({ key, decisions }) => decisions.map((one): Decided => ({ ...one, key })));
  return { decided, isWhole: keys.length <= daysMax };
}

/** #3 #4 */
async function listProposalsOf({ store, book, brokerNowMs }: ActionsPorts, asked: Asked, schemes: Operator["schemes"]) {
  const nowMs = brokerNowMs() ?? 0;
  const listAsked = (proposal: Proposal) => listOfProposal(proposal, nowMs).filter((one) => isAsked(one, asked));
  const all = (await book.read()).list().filter((proposal) => listAsked(proposal).length > 0);
  const { own, isWhole } = await selectProposals({ store }, schemes, all.toReversed(), all.length);
  return { decided: own.flatMap(listAsked), isWhole };
}

function listDates(fromMs: number, toMs: number): readonly string[] {
  const dateOf = (atMs: number): Temporal.PlainDate => Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO("UTC").toPlainDate();
  const first = dateOf(fromMs).subtract({ days: daysBefore });
  const count = Math.min(first.until(dateOf(toMs)).days + daysAfter, daysMax + 1);
  return Array.from({ length: Math.max(0, count) }, (_, index) => first.add({ days: index }).toString());
}

function listOfProposal(proposal: Proposal, nowMs: number): readonly Decided[] {
  const { action, operation, offset, proposedAtMs, end } = proposal;
  const about = { key: `proposal:${action.id}`, why: null, offset };
  return [
    { ...about, kind: `proposed ${operation}`, result: readProposalState(proposal, nowMs), atMs: proposedAtMs, action },
    ...(end === null ? [] : [{ ...about, kind: `${end.kind} ${operation}`, result: end.kind, atMs: end.atMs, action: end.action }]),
  ];
}

function isAsked({ atMs, action, kind }: Decided, asked: Asked): boolean {
  return (
    atMs >= asked.fromMs &&
    atMs <= asked.toMs &&
    (asked.operator === undefined || action.operator === asked.operator) &&
    (asked.kind === undefined || kind === asked.kind)
  );
}

function decidedView({ key, kind, result, why, atMs, offset, action, awaitsConfirmation = false }: Decided) {
  const { id, operator, person, confirmedBy, reason, requestedAtMs } = action;
  const view = actionView({ id, operator, person, confirmedBy, reason, requestedAtMs, contentSha256: "" });
  return { key, kind, result, why, at: formatInstant(atMs), offset, ...view, awaitsConfirmation };
}
