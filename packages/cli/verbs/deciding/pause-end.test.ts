import { expect, test } from "vitest";
import { parsePauseEnd } from "./pause-end.ts";

const nowMs = Date.UTC(2026, 10, 22, 0, 30);
const endIn = (options: Readonly<Record<string, string>>) => parsePauseEnd({ value: (name) => options[name] ?? null }, nowMs);

test.each([
  [{}, null],
  [{ until: "2026-11-22T03:00+02:00" }, "2026-11-22T01:00:00Z"],
  [{ until: "2026-11-22T03:00:00Z" }, "2026-11-22T03:00:00Z"],
  [{ for: "30m" }, "2026-11-22T01:00:00Z"],
  [{ for: "90s" }, "2026-11-22T00:31:30Z"],
])("a pause with %j ends at %s", (options, end) => {
  expect(endIn(options)).toBe(end);
});

test.each([
  [{ until: "2026-11-22T03:00" }, "with its offset"],
  [{ until: "03:00" }, "with its offset"],
  [{ for: "half an hour" }, "a duration"],
  [{ for: "0m" }, "a duration"],
  [{ for: "30m", until: "2026-11-22T03:00Z" }, "not both"],
])("%j is refused: %s", (options, why) => {
  expect(() => endIn(options)).toThrow(why);
});
