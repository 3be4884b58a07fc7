// A bank's marker reaches this lane: it is paused, or resumed, for all that lies behind. The batch ends with it, and `lane.ts` passes it then.

import { bankMarkerFromRecord } from "@sluice/contracts";
import { assert } from "@sluice/runtime";
import { aboutNothing } from "./handler.ts";
import type { Handler } from "./handler.ts";

export const onBankMarker: Handler = {
  aggregate: "lane",
  judge({ record, key, decoded }) {
    const marker = bankMarkerFromRecord(decoded);
    assert(marker !== null, `${decoded.name} is a marker of a bank`);
    const bankMarker = { marker, place: { offset: record.offset, appendedAtMs: record.appendedAtMs } };
    return { ...aboutNothing, record, key, name: decoded.name, decision: "passed", reason: null, outgoing: [], bankMarker };
  },
};
