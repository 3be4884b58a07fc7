import { expect, test } from "vitest";
import { parked } from "./conformance-of-lanes.ts";
import { fromStoredParked, toStoredParked } from "./parked-document.ts";

test("a message parked before it had a time of its own to stop has none, may have been taken, and was not redriven", () => {
  const message = parked({ mayHaveBeenTaken: false, stopsAtMs: 7, redrive: { offset: 4n, untilMs: 8 } });
  const { since: _since, stopsAt: _stopsAt, mayHaveBeenTaken: _taken, redrive: _redrive, ...before } = toStoredParked(message);
  expect(fromStoredParked(before)).toStrictEqual(parked({ mayHaveBeenTaken: true, stopsAtMs: null, redrive: null }));
});
