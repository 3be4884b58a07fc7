// Handles a fact about a business day: the domain decides, and each marker is copied into every partition of the
// journal; DayTimes and DayReconciled also into every partition of dispatch.

import { factFromRecord, outgoingRecord, recordFromMarker, topics } from "@sluice/contracts";
import { decideDay, isDayFact, type MarkerOutput } from "@sluice/domain";
import type { OutgoingRecord } from "@sluice/messaging";
import { assert } from "@sluice/kernel";
import { type HandlerContext, type JournalHandler, noEffects } from "./handler.ts";

export const onDayFact: JournalHandler = {
  aggregate: "day",
  handle({ record, key, decoded }, working, context) {
    const fact = factFromRecord(decoded, key);
    assert(fact !== null && isDayFact(fact), `${decoded.name} is a fact about a day`);
    const place = { offset: record.offset, appendedAtMs: record.appendedAtMs };
    const outcome = decideDay(key, working.days.get(key) ?? null, fact, place);
    const partitionCount = outcome.day?.plan.partitionCount ?? context.partitionCount;
    const outgoing = outcome.outputs.flatMap((output) => copyToPartitions(output, key, partitionCount, context));
    working.days.set(key, outcome.day);
    const action = "action" in fact ? fact.action : null;
    const { decision, reason, day } = outcome;
    return { ...noEffects, record, key, name: decoded.name, decision, reason, outgoing, day, action };
  },
};

function copyToPartitions(
  { marker, alsoToDispatch }: MarkerOutput,
  key: string,
  partitionCount: number,
  { serde }: HandlerContext,
): readonly OutgoingRecord[] {
  const targets = alsoToDispatch ? [topics.journal, topics.dispatch] : [topics.journal];
  return targets.flatMap((topic) =>
    Array.from({ length: partitionCount }, (_, partition) =>
      outgoingRecord(serde, topic, key, recordFromMarker(marker, partition), { partitionCount, partition }),
    ),
  );
}
