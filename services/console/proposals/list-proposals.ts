// listProposals: decisions that need a second person, the newest first, each with what a confirmation must name.

import type { BrokerClock } from "@sluice/messaging";
import type { ControlHandler } from "../http/control-handler.ts";
import { formatOptionalInstant, invalidRequest } from "../views/control-values.ts";
import { selectProposals, type SchemePorts } from "../http/within-schemes.ts";
import { encodeCursor, parsePageRequest } from "../views/page.ts";
import type { ProposalBook } from "./proposal-book.ts";
import { timeUnknown } from "./propose-decision.ts";
import { proposalView } from "./proposal-view.ts";

export interface ListProposalsPorts extends Pick<SchemePorts, "store"> {
  readonly book: ProposalBook;
  readonly brokerClock: Pick<BrokerClock, "nowMs">;
}

export function listProposals({ store, book, brokerClock }: ListProposalsPorts): ControlHandler {
  return async ({ query, operator }) => {
    const page = parsePageRequest(query, (place) => /^\d{1,19}$/.test(place));
    if (typeof page === "string") return invalidRequest(page);
    const nowMs = brokerClock.nowMs();
    if (nowMs === null) return timeUnknown;
    const { after, limit } = page;
    const rest = (await book.read()).list().filter(({ offset }) => after === null || offset < BigInt(after));
    // One more than asked for tells whether there is a next page.
    const found = await selectProposals({ store }, operator.schemes, rest.toReversed(), limit + 1);
    const rows = found.own.slice(0, limit);
    const last = found.own.length > limit ? rows.at(-1) : found.isWhole ? null : found.last;
    const next = last === undefined || last === null ? null : encodeCursor(last.offset.toString());
    const views = rows.map((proposal) => proposalView(proposal, nowMs));
    return { kind: "found", body: { schema: "Proposals", asOf: formatOptionalInstant(nowMs), rows: views, next } };
  };
}
