import { describe, expect, it } from "vitest";
import { leaseEpoch, type LeaseEvent, type LeaseState, nextLeaseState } from "./lease-state.ts";

const unowned: LeaseState = { kind: "unowned" };
const take: LeaseEvent = { kind: "take" };
const failed: LeaseEvent = { kind: "failed" };
const closed: LeaseEvent = { kind: "closed", reason: "the assignment is over" };
const raised = (epoch: number): LeaseEvent => ({ kind: "raised", epoch });
const granted = (epoch: number): LeaseEvent => ({ kind: "granted", epoch });
const refused = (epoch: number, nowMs = 0): LeaseEvent => ({ kind: "refused", epoch, nowMs });
const waited = (nowMs: number, heartbeatAgeMs: number): LeaseEvent => ({ kind: "waited", nowMs, heartbeatAgeMs });

function after(...events: readonly LeaseEvent[]): LeaseState {
  return events.reduce(nextLeaseState, unowned);
}

const owned = [take, raised(1), granted(1)];
const lost = [...owned, refused(1, 1_000)];
const retaking = [...lost, waited(4_500, 3_499)];

describe("the states of a lease", () => {
  it("is granted when the store has raised the epoch and the take-over has read what it needs", () => {
    expect(after(take)).toEqual({ kind: "taking-over", epoch: null, lostAtMs: null });
    expect(after(take, raised(1))).toEqual({ kind: "taking-over", epoch: 1, lostAtMs: null });
    expect(after(...owned)).toEqual({ kind: "owned", epoch: 1 });
  });

  it("is unowned again after a first take-over that failed, so that the consumer can ask again", () => {
    expect(after(take, failed)).toEqual(unowned);
    expect(after(take, raised(1), failed)).toEqual(unowned);
    expect(after(take, raised(1), failed, take, raised(2), granted(2))).toEqual({ kind: "owned", epoch: 2 });
  });

  it("#2: is taken again only after an answer of the coordinator that is younger than the loss", () => {
    expect(after(...lost)).toEqual({ kind: "lost", lostAtMs: 1_000 });
    expect(after(...lost, waited(4_500, 3_500))).toEqual({ kind: "lost", lostAtMs: 1_000 });
    expect(after(...lost, waited(4_500, Number.POSITIVE_INFINITY))).toEqual({ kind: "lost", lostAtMs: 1_000 });
    expect(after(...retaking)).toEqual({ kind: "taking-over", epoch: null, lostAtMs: 1_000 });
    expect(after(...retaking, raised(3), granted(3))).toEqual({ kind: "owned", epoch: 3 });
  });

  it("#2: waits again after a retake that failed, and needs no answer younger than the first loss", () => {
    expect(after(...retaking, failed)).toEqual({ kind: "lost", lostAtMs: 1_000 });
    expect(after(...retaking, raised(3), failed, waited(8_000, 6_999))).toMatchObject({ kind: "taking-over" });
  });

  it("#3: is not granted where the epoch was refused during the take-over, and waits only once the take-over has ended", () => {
    const losing = [...retaking, raised(3), refused(3, 5_000)];
    expect(after(...losing)).toEqual({ kind: "taking-over", epoch: null, lostAtMs: 5_000 });
    expect(after(...losing, waited(9_000, 0))).toEqual(after(...losing));
    expect(after(...losing, granted(3))).toEqual({ kind: "lost", lostAtMs: 5_000 });
    expect(after(...losing, failed)).toEqual({ kind: "lost", lostAtMs: 5_000 });
    expect(after(take, raised(1), refused(1), granted(1))).toEqual(unowned);
  });

  it("#1: ignores the late refusal of a write that an earlier epoch sent", () => {
    const again = [...retaking, raised(3), granted(3)];
    expect(after(...again, refused(1, 6_000))).toEqual({ kind: "owned", epoch: 3 });
    expect(after(...retaking, raised(3), refused(1, 6_000))).toEqual(after(...retaking, raised(3)));
    expect(after(...lost, refused(1, 6_000))).toEqual({ kind: "lost", lostAtMs: 1_000 });
  });

  it.each([
    { from: "unowned", events: [] },
    { from: "taking over", events: [take] },
    { from: "owned", events: owned },
    { from: "lost", events: lost },
    { from: "taking over again", events: retaking },
  ])("#4: closed when $from it is over, and no late answer changes that", ({ events }) => {
    const over = after(...events, closed);
    expect(over).toEqual({ kind: "over", reason: "the assignment is over" });
    const late = [take, raised(9), granted(9), refused(1, 9_000), failed, waited(9_000, 0), { ...closed, reason: "another" }];
    expect(late.map((event) => nextLeaseState(over, event))).toEqual(late.map(() => over));
  });

  it("#1: has an epoch that counts from the store's answer to the refusal of a write or the close", () => {
    expect([after(), after(take), after(take, raised(1)), after(...owned)].map(leaseEpoch)).toEqual([null, null, 1, 1]);
    expect(
      [lost, retaking, [...retaking, raised(3), refused(3)], [...owned, closed]].map((events) => leaseEpoch(after(...events))),
    ).toEqual([null, null, null, null]);
  });
});
