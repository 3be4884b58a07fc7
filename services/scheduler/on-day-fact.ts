// A fact about a business day: the domain decides, and each marker goes to every lane, one copy a partition; DayTimes and DayReconciled also to
// every partition of dispatch.

import { factFromRecord, outgoingRecord, recordFromMarker, topics } from "@sluice/contracts";
import { decideDay, isDayFact } from "@sluice/domain";
import type { MarkerOutput } from "@sluice/domain";
import type { OutgoingRecord } from "@sluice/messaging";
import { assert } from "@sluice/runtime";
import { aboutNothing } from "./handler.ts";
import type { Handler, Surroundings } from "./handler.ts";

export const onDayFact: Handler = {
  aggregate: "day",
  judge({ record, key, decoded }, working, surroundings) {
    const fact = factFromRecord(decoded, key);
    assert(fact !== null && isDayFact(fact), `${decoded.name} is a fact about a day`);
    const place = { offset: record.offset, appendedAtMs: record.appendedAtMs };
    const outcome = decideDay(key, working.days.get(key) ?? null, fact, place);
    const lanes = outcome.day?.plan.lanes ?? surroundings.lanes;
    const outgoing = outcome.outputs.flatMap((output) => copies(output, key, lanes, surroundings));
    working.days.set(key, outcome.day);
    const action = "action" in fact ? fact.action : null;
    const { decision, reason, day } = outcome;
    return { ...aboutNothing, record, key, name: decoded.name, decision, reason, outgoing, day, action };
  },
};

function copies({ marker, alsoToDispatch }: MarkerOutput, key: string, lanes: number, { serde }: Surroundings): readonly OutgoingRecord[] {
  const targets = alsoToDispatch ? [topics.journal, topics.dispatch] : [topics.journal];
  return targets.flatMap((topic) =>
    Array.from({ length: lanes }, (_, partition) =>
      outgoingRecord(serde, topic, key, recordFromMarker(marker, partition), { lanes, partition }),
    ),
  );
}
