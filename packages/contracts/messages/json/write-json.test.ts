import { describe, expect, test } from "vitest";
import { writeArray, writeMessageMembers, writeText } from "./write-json.ts";

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
