import { expect, test } from "vitest";
import { parked } from "./conformance-of-lanes.ts";
import { fromStoredParked, toStoredParked } from "./parked-document.ts";

test("a message parked before it had a time of its own to stop has none, and may have been taken", () => {
  const { stopsAt: _stopsAt, mayHaveBeenTaken: _taken, ...before } = toStoredParked(parked({ mayHaveBeenTaken: false, stopsAtMs: 7 }));
  expect(fromStoredParked(before)).toStrictEqual(parked({ mayHaveBeenTaken: true, stopsAtMs: null }));
});
