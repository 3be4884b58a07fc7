import { expect, test } from "vitest";
import { conformanceParked } from "../conformance/conformance-partitions.ts";
import { fromStoredParkedMessage, toStoredParkedMessage } from "./parked-message-document.ts";

test("a message parked before stop times, evidence and redrives were stored has no stop time, may have been taken, and was not redriven", () => {
  const message = conformanceParked({ mayHaveBeenTaken: false, stopsAtMs: 7, redrive: { offset: 4n, untilMs: 8 } });
  const { since: _since, stopsAt: _stopsAt, mayHaveBeenTaken: _taken, redrive: _redrive, ...before } = toStoredParkedMessage(message);
  expect(fromStoredParkedMessage(before)).toStrictEqual(conformanceParked({ mayHaveBeenTaken: true, stopsAtMs: null, redrive: null }));
});
