import { silentLogger } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createPartitionPosition, createPositionTimer } from "./position.ts";

/** A position whose calls are noted; a call fails while its step is in `failing`. */
function setUp() {
  const time = createVirtualTime({ startAtMs: 0 });
  const calls: string[] = [];
  const failing = new Set<string>();
  const step = (what: string): void => {
    calls.push(what);
    if (failing.has(what.split(" ")[0] ?? "")) throw new Error("down");
  };
  const position = createPartitionPosition({
    partition: 0,
    epoch: 1,
    position: 0n,
    writeUnderLease: (offset, state) =>
      Promise.resolve().then(() => {
        step(`position ${offset} ${state === undefined ? "without state" : JSON.stringify(state)}`);
        return true;
      }),
    state: () => ["marker"],
    beforeWrite: () => Promise.resolve().then(() => step("ledgers")),
    timer: createPositionTimer(time),
    time,
    logger: silentLogger,
  });
  return { time, calls, failing, position };
}

test("I11: the ledgers are written before the position, and without them the position is not", async () => {
  const { time, calls, failing, position } = setUp();
  failing.add("ledgers");
  position.advance(5n);
  await time.advance(500);
  expect(calls).toEqual(["ledgers"]);
  failing.clear();
  await time.advance(1_000);
  expect(calls).toEqual(["ledgers", "ledgers", "position 5 without state"]);
  expect(position.lag()).toBe(0n);
});

test("I16: the state of a failed write is in the next one", async () => {
  const { time, calls, failing, position } = setUp();
  failing.add("position");
  position.advance(5n);
  position.markStateChanged();
  await time.advance(500);
  failing.clear();
  await time.advance(1_500);
  const written = calls.filter((call) => call.startsWith("position"));
  expect(written).toEqual(['position 5 ["marker"]', 'position 5 ["marker"]']);
  position.advance(6n);
  await time.advance(1_500);
  expect(calls.at(-1)).toBe("position 6 without state");
});

test("#2: a position that moves on is written every 250 ms, sooner once 512 records are ahead, and at once on request", async () => {
  const { time, calls, position } = setUp();
  const written = (): string[] => calls.filter((call) => call.startsWith("position")).map((call) => call.split(" ")[1] ?? "");
  for (let offset = 1n; offset <= 10n; offset += 1n) {
    position.advance(offset);
    await time.advance(100);
  }
  expect(written()).toEqual(["3", "6", "9"]);
  position.advance(600n);
  await time.advance(1);
  expect(written().at(-1)).toBe("600");
  position.advance(601n);
  await position.write();
  expect(written().at(-1)).toBe("601");
});

test("I3: a hand-over repeats a write that fails, so that the next owner begins at what is done [D10.40]", async () => {
  const { time, calls, failing, position } = setUp();
  failing.add("position");
  position.advance(5n);
  let isFlushed = false;
  void position.flush().then(() => (isFlushed = true));
  await time.advance(50);
  failing.clear();
  await time.advance(150);
  expect([calls.at(-1), position.lag(), isFlushed]).toEqual(["position 5 without state", 0n, true]);
});

test("I16: a hand-over gives a position up that the store does not take", async () => {
  const { time, failing, position } = setUp();
  failing.add("position");
  position.advance(5n);
  let isFlushed = false;
  void position.flush().then(() => (isFlushed = true));
  await time.advance(1_600);
  expect([position.lag(), isFlushed]).toEqual([5n, true]);
});
