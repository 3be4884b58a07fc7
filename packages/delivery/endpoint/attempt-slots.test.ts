import { createVirtualTime } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { AttemptSlots, type Slot } from "./attempt-slots.ts";
import { LinkedList, type ListLink } from "../linked-list.ts";

const open = partition();
const forever = Number.POSITIVE_INFINITY;

function partition() {
  const served = new LinkedList<{ giveUp(): void }>();
  const close = (): void => {
    made.isOpen = false;
    for (const waiting of served.all()) waiting.giveUp();
  };
  const made = {
    isOpen: true,
    onClose: (waiting: { giveUp(): void }) => served.add(waiting),
    forget: (link: ListLink<{ giveUp(): void }>) => served.remove(link),
    close,
  };
  return made;
}

function setup(slotsMax: number) {
  const time = createVirtualTime({ startAtMs: 0 });
  return { time, slots: new AttemptSlots(time, slotsMax) };
}

async function taken(slot: Promise<Slot | null>): Promise<Slot> {
  const got = await slot;
  if (got === null) throw new Error("no slot");
  return got;
}

describe("the slots of an endpoint", () => {
  it("I15: no more attempts run at once than there are slots, and a waiter gets the next free one", async () => {
    const { slots } = setup(2);
    const first = await taken(slots.acquire("first", 0, open));
    await taken(slots.acquire("first", 0, open));
    expect(await slots.acquire("first", 0, open)).toBeNull();
    const waiting = slots.acquire("first", 250, open);
    expect(slots.waiting).toBe(1);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    await taken(waiting);
    expect(await slots.acquire("first", 0, open)).toBeNull();
  });

  it("#2: a slot that is released at once goes to the next waiter, however many wait, and each is called once", async () => {
    const { time, slots } = setup(1);
    const first = await taken(slots.acquire("first", 0, open));
    const many = 20_000;
    const served: number[] = [];
    for (let index = 0; index < many; index += 1) {
      const given = (slot: Slot | null): void => {
        served.push(index);
        slot?.[Symbol.dispose]();
      };
      slots.wait("first", forever, open, { mayWaitLonger: () => true, onSlot: given }, time.monotonicMs());
    }
    first[Symbol.dispose]();
    expect(served).toEqual(Array.from({ length: many }, (_, index) => index));
    expect([slots.waiting, slots.running]).toEqual([0, 0]);
  });

  it("when a waiter closes its partition, the other waiters of that partition leave with it, each called once", async () => {
    const { time, slots } = setup(1);
    await taken(slots.acquire("first", 0, open));
    const closing = partition();
    const served: string[] = [];
    for (const name of ["a", "b", "c"]) {
      const given = (): void => {
        served.push(name);
        if (name === "a") closing.close();
      };
      slots.wait("first", 250, closing, { mayWaitLonger: () => false, onSlot: given }, time.monotonicMs());
    }
    await time.advance(1_000);
    expect(served).toEqual(["a", "b", "c"]);
    expect(slots.waiting).toBe(0);
  });

  it("a waiter gives up after its time, and when its partition closes", async () => {
    const { time, slots } = setup(1);
    await taken(slots.acquire("first", 0, open));
    await time.advance(1_000);
    const closing = partition();
    const given: (Slot | null | string)[] = ["waiting", "waiting"];
    void slots.acquire("first", 250, open).then((slot) => (given[0] = slot));
    void slots.acquire("retry", forever, closing).then((slot) => (given[1] = slot));
    await time.advance(249);
    expect(given).toEqual(["waiting", "waiting"]);
    await time.advance(1);
    expect(given).toEqual([null, "waiting"]);
    closing.close();
    await time.settle();
    expect(given).toEqual([null, null]);
    expect(slots.waiting).toBe(0);
    expect(await slots.acquire("first", 250, closing)).toBeNull();
  });

  it("I14: a waiter waits up to a second longer while the bank acknowledges, and without limit while it keeps up", async () => {
    const { time, slots } = setup(1);
    await taken(slots.acquire("first", 0, open));
    await time.advance(1_000);
    const given: (Slot | null | string)[] = ["waiting", "waiting", "waiting"];
    const acknowledge = async (everyMs: number, forMs: number): Promise<void> => {
      for (let ms = 0; ms < forMs; ms += everyMs) {
        slots.recordAcknowledgement(time.monotonicMs());
        await time.advance(everyMs);
      }
    };
    void slots.acquire("first", 250, open).then((slot) => (given[0] = slot));
    await acknowledge(100, 900);
    expect(given[0]).toBe("waiting");
    await acknowledge(100, 400);
    expect(given[0]).toBeNull();
    void slots.acquire("first", 250, open).then((slot) => (given[1] = slot));
    await acknowledge(100, 300);
    expect(given[1]).toBe("waiting");
    await time.advance(500);
    expect(given[1]).toBeNull();
    await acknowledge(5, 1_000);
    void slots.acquire("first", 250, open).then((slot) => (given[2] = slot));
    await acknowledge(5, 5_000);
    expect(given[2]).toBe("waiting");
    await time.advance(2_500);
    expect(given[2]).toBeNull();
  });

  it("I14: in its first second a bank cannot be judged, and its waiters go on waiting", async () => {
    const { time, slots } = setup(1);
    await taken(slots.acquire("first", 0, open));
    const given: (Slot | null | string)[] = ["waiting"];
    void slots.acquire("first", 250, open).then((slot) => (given[0] = slot));
    await time.advance(900);
    expect(given).toEqual(["waiting"]);
    await time.advance(200);
    expect(given).toEqual([null]);
  });

  it("a lower limit lets running attempts go on, and a higher one serves waiters", async () => {
    const { slots } = setup(4);
    const running = [await taken(slots.acquire("first", 0, open)), await taken(slots.acquire("first", 0, open))];
    slots.setLimit(1);
    expect(slots.running).toBe(2);
    const waiting = slots.acquire("first", forever, open);
    running[0]?.[Symbol.dispose]();
    expect(slots.running).toBe(1);
    slots.setLimit(100);
    await taken(waiting);
    expect(slots.limit).toBe(4);
  });

  it("I14: retries take at most half of the slots, so that failing messages do not keep new ones out", async () => {
    const { slots } = setup(4);
    await taken(slots.acquire("retry", 0, open));
    await taken(slots.acquire("retry", 0, open));
    expect(await slots.acquire("retry", 0, open)).toBeNull();
    await taken(slots.acquire("first", 0, open));
    await taken(slots.acquire("first", 0, open));
    expect(await slots.acquire("first", 0, open)).toBeNull();
  });

  it("I14: messages that fail often have an eighth of the slots, and of fewer than eight one slot for an eighth of the time [D3.52]", async () => {
    const { slots } = setup(16);
    await taken(slots.acquire("failing", 0, open));
    await taken(slots.acquire("failing", 0, open));
    expect(await slots.acquire("failing", 0, open)).toBeNull();
    await taken(slots.acquire("retry", 0, open));
    const few = setup(2);
    const attempt = await taken(few.slots.acquire("failing", 0, open));
    await few.time.advance(1_000);
    attempt[Symbol.dispose]();
    await few.time.advance(2_900);
    expect(await few.slots.acquire("failing", 0, open)).toBeNull();
    await few.time.advance(200);
    await taken(few.slots.acquire("failing", 0, open));
  });

  it("while the receiver spills, retries may take all slots", async () => {
    const { slots } = setup(2);
    await taken(slots.acquire("retry", 0, open));
    const waiting = slots.acquire("retry", forever, open);
    slots.changeSpilling(1);
    await taken(waiting);
    slots.changeSpilling(-1);
    expect(await slots.acquire("retry", 0, open)).toBeNull();
  });

  it("a retry that may not go does not delay a new message behind it", async () => {
    const { slots } = setup(2);
    await taken(slots.acquire("retry", 0, open));
    const first = await taken(slots.acquire("first", 0, open));
    void slots.acquire("retry", forever, open);
    const next = slots.acquire("first", forever, open);
    first[Symbol.dispose]();
    expect(await next).not.toBeNull();
  });
});
