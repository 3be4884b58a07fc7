// What the lease of a partition is, as a pure function of what happens to it. `partition-lease.ts` acts on it.
//
//                take                      granted
//   unowned ───────────────► taking over ───────────► owned
//      ▲                      │   ▲   │                 │
//      └──────────────────────┘   │   │ failed or       │ refused
//        failed or refused,       │   │ refused,        ▼
//        at the first take-over   │   └──────────────► lost ──┐ waited, and
//                                 │     at a retake     │ ▲   │ not confirmed
//                                 └─────────────────────┘ └───┘
//                                   waited, and confirmed
//   each of them ──────────► over
//                  closed
//
// #1 An epoch counts from the store's answer to the take-over until a write under it is refused. A refusal of a write
//    under any other epoch is the late answer to an earlier owner, and changes nothing.
// #2 A lost lease is taken again only after the group's coordinator has confirmed the assignment: it answered this
//    process after the loss.
// #3 One take-over runs at a time. One whose epoch is refused goes on to its end, and then has failed.
// #4 Nothing leaves `over`.

export type LeaseState =
  | { readonly kind: "unowned" }
  /** `epoch` is null before the store has answered, and after a refusal. `lostAtMs` is null at the first take-over. */
  | { readonly kind: "taking-over"; readonly epoch: number | null; readonly lostAtMs: number | null }
  | { readonly kind: "owned"; readonly epoch: number }
  | { readonly kind: "lost"; readonly lostAtMs: number }
  | { readonly kind: "over"; readonly reason: string };

/** Times are milliseconds of the monotonic clock. */
export type LeaseEvent =
  | { readonly kind: "take" }
  /** The store raised the owner epoch for this process. */
  | { readonly kind: "raised"; readonly epoch: number }
  /** All that an owner under this epoch starts from is read. */
  | { readonly kind: "granted"; readonly epoch: number }
  | { readonly kind: "failed" }
  /** The store refused a write, because it has a higher epoch. */
  | { readonly kind: "refused"; readonly epoch: number; readonly nowMs: number }
  | { readonly kind: "waited"; readonly nowMs: number; readonly heartbeatAgeMs: number }
  | { readonly kind: "closed"; readonly reason: string };

export function nextLeaseState(state: LeaseState, event: LeaseEvent): LeaseState {
  if (event.kind === "closed" && state.kind !== "over") return { kind: "over", reason: event.reason };
  switch (state.kind) {
    case "unowned":
      return event.kind === "take" ? { kind: "taking-over", epoch: null, lostAtMs: null } : state;
    case "taking-over":
      return whileTakingOver(state, event);
    case "owned":
      return event.kind === "refused" && event.epoch === state.epoch ? { kind: "lost", lostAtMs: event.nowMs } : state;
    case "lost":
      // #2
      if (event.kind !== "waited" || event.heartbeatAgeMs >= event.nowMs - state.lostAtMs) return state;
      return { kind: "taking-over", epoch: null, lostAtMs: state.lostAtMs };
    case "over":
      break;
  }
  return state;
}

function whileTakingOver(state: Extract<LeaseState, { kind: "taking-over" }>, event: LeaseEvent): LeaseState {
  const { epoch, lostAtMs } = state;
  if (event.kind === "raised") return { ...state, epoch: event.epoch };
  if (event.kind === "refused" && event.epoch === epoch) return { ...state, epoch: null, lostAtMs: lostAtMs === null ? null : event.nowMs };
  if (event.kind === "granted" && event.epoch === epoch) return { kind: "owned", epoch };
  if (event.kind !== "granted" && event.kind !== "failed") return state;
  // #3. The consumer asks again for a partition that it never got.
  return lostAtMs === null ? { kind: "unowned" } : { kind: "lost", lostAtMs };
}

/** #1: answers null while no epoch counts. */
export function leaseEpoch(state: LeaseState): number | null {
  return state.kind === "taking-over" || state.kind === "owned" ? state.epoch : null;
}
