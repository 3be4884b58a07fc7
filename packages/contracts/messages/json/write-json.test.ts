import { getHeapStatistics } from "node:v8";
import { describe, expect, test } from "vitest";
import { writeArray, writeMembers, writeMessageMembers, writeNumber, writeObject, writeText, writeToken } from "./write-json.ts";

interface Note {
  readonly id: string;
  readonly lines: readonly string[];
  readonly date: string | null;
}

/** A writer of notes that counts how often lines are written. */
function setUp() {
  const counted = { lines: 0 };
  const lines = writeArray(writeText);
  const write = writeMessageMembers<Note>("Note", [
    ["id", writeText],
    [
      "lines",
      (value: readonly string[]) => {
        counted.lines += 1;
        return lines(value);
      },
    ],
    ["date", writeText],
  ]);
  return { write, counted };
}

describe("a message that is made from another one", () => {
  const base: Note = { id: "1", lines: ["a", "b"], date: null };

  test("I3: has the same bytes whether its members were written before or not", () => {
    const made = { ...base, id: "2", date: "2026-11-20" };
    const expected = '{"schema":"Note","id":"2","lines":["a","b"],"date":"2026-11-20"}';
    const { write } = setUp();
    expect([write(made), write(made, base), write(base, base), write(made, base)]).toEqual([
      expected,
      expected,
      '{"schema":"Note","id":"1","lines":["a","b"]}',
      expected,
    ]);
    expect(write({ ...base, lines: [] }, base)).toBe('{"schema":"Note","id":"1","lines":[]}');
    expect(write({ ...base, lines: ["a", "b"] }, { ...base, lines: ["c"] })).toBe('{"schema":"Note","id":"1","lines":["a","b"]}');
  });

  test("members that it shares with the other one are written once for both", () => {
    const { write, counted } = setUp();
    for (const id of ["2", "3", "4"]) write({ ...base, id }, base);
    write(base, base);
    expect(counted.lines).toBe(1);
  });
});

const names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"] as const;
const members = names.map((name) => [name, writeToken] as const);
const value = Object.fromEntries(names.map((name) => [name, "1"]));

/** Bytes that a call allocates on the heap, on average. */
function allocatedBytes(call: () => string): number {
  const calls = 5_000;
  let length = 0;
  const before = getHeapStatistics().total_allocated_bytes;
  for (let count = 0; count < calls; count += 1) length += call().length;
  expect(length).toBeGreaterThan(0);
  return (getHeapStatistics().total_allocated_bytes - before) / calls;
}

test("members are written in the given order, and null ones are left out, also the first", () => {
  const write = writeObject<{ a: string | null; b: number; c: string | null }>({ a: writeText, b: writeNumber, c: writeText });
  expect(write({ a: 'x"', b: 1, c: null })).toBe('{"a":"x\\"","b":1}');
  expect(write({ a: null, b: 1, c: "y" })).toBe('{"b":1,"c":"y"}');
  expect(writeObject<{ a: string | null }>({ a: writeText })({ a: null })).toBe("{}");
  expect(writeMessageMembers("S", members)({ beta: "2" })).toBe('{"schema":"S","beta":2}');
});

test("a member costs no text but its own and what holds them together", () => {
  const [write, writeMessage] = [writeMembers(members), writeMessageMembers("Sample", members)];
  const spent = [allocatedBytes(() => write(value)), allocatedBytes(() => writeMessage(value))].map((bytes) => bytes / names.length);
  // 160 to 195 before the compiler has seen it; 270 to 380 where all of a member's text is put together each time.
  expect(Math.max(...spent)).toBeLessThan(230);
});
