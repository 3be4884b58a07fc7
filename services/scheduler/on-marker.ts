// A day's marker reaches this lane. It is judged when all before it is done: the batch ends with it, and `lane.ts` passes it then.

import { markerFromRecord } from "@sluice/contracts";
import { assert } from "@sluice/runtime";
import { aboutNothing } from "./handler.ts";
import type { Handler } from "./handler.ts";

export const onMarker: Handler = {
  aggregate: "lane",
  judge({ record, key, decoded }) {
    const marker = markerFromRecord(decoded);
    assert(marker !== null, `${decoded.name} is a marker`);
    const passed = { marker, place: { offset: record.offset, appendedAtMs: record.appendedAtMs } };
    return { ...aboutNothing, record, key, name: decoded.name, decision: "passed", reason: null, outgoing: [], marker: passed };
  },
};
