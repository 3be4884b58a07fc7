import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAdmission, type Admission } from "./admission.ts";

const limits = { requestsMax: 120, bytesMax: 12_000 };

/** Takes all the room that it gets, and returns how much that was. */
function takenBy(admission: Admission, caller: string, bytes = 0): Disposable[] {
  const held: Disposable[] = [];
  for (let room = admission.enter(caller, bytes); typeof room !== "string"; room = admission.enter(caller, bytes)) held.push(room);
  return held;
}

describe("room at ingress", () => {
  it("is half of the whole for one caller alone, and half of the rest for the next", () => {
    const admission = createAdmission(limits);
    expect(takenBy(admission, "first")).toHaveLength(60);
    expect(takenBy(admission, "second")).toHaveLength(30);
    expect(takenBy(admission, "third")).toHaveLength(15);
    expect(admission.enter("first", 0)).toBe("share");
  });

  it("is bounded in bytes too", () => {
    const admission = createAdmission(limits);
    expect(takenBy(admission, "first", 1_000)).toHaveLength(6);
    expect(admission.enter("second", 6_001)).toBe("whole");
    expect(takenBy(admission, "second", 1_000)).toHaveLength(3);
  });

  it("is free again when a request is done, once for each request", async () => {
    const admission = createAdmission(limits);
    const [one, ...others] = takenBy(admission, "first");
    one?.[Symbol.dispose]();
    one?.[Symbol.dispose]();
    expect(admission.requests()).toBe(59);
    const empty = admission.empty();
    for (const held of others) held[Symbol.dispose]();
    await empty;
    expect(takenBy(admission, "first")).toHaveLength(60);
  });

  it("I14: is left for the next caller, however greedy the others are, and never exceeds the bound", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 300 })), { maxLength: 400 }), (tries) => {
        const admission = createAdmission(limits);
        const held: { readonly caller: number; readonly bytes: number; readonly room: Disposable }[] = [];
        for (const [caller, bytes] of tries) {
          if (bytes % 7 === 0) held.shift()?.room[Symbol.dispose]();
          const room = admission.enter(String(caller), bytes);
          if (typeof room !== "string") held.push({ caller, bytes, room });
          const sum = held.reduce((total, one) => total + one.bytes, 0);
          expect(held.length).toBeLessThanOrEqual(limits.requestsMax);
          expect(sum).toBeLessThanOrEqual(limits.bytesMax);
        }
        const newcomer = admission.enter("newcomer", 300);
        expect(typeof newcomer).toBe("object");
      }),
    );
  });
});
