// `./sluice dead-letters skip`: asks a partition to skip the record at which it is stopped, or the batch that cannot be
// read, then waits until it has skipped it.

import { randomUUID } from "node:crypto";
import { topics } from "@sluice/contracts/topics";
import { Fault, machineTime } from "@sluice/kernel";
import { asControlVerb, controlClient, controlOptions, type RunControlVerb } from "../../terminal/control-client.ts";
import { awaitSkip, skipOutcome } from "../deciding/await-skip.ts";
import { isProposed, proposedLine, requireOption as needed, sendDecision } from "../deciding/send-decision.ts";
import { memberText } from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";

const topicByService: Readonly<Record<string, string>> = {
  scheduler: topics.journal,
  validator: topics.journal,
  dispatcher: topics.dispatch,
  "event-publisher": topics.events,
};

export const runDeadLettersSkip: RunControlVerb = async (call, where) => {
  const service = needed(call, "service");
  const [topic, partition, offset] = [topicByService[service], needed(call, "partition"), needed(call, "offset")];
  if (topic === undefined)
    throw new Fault("cli.no-service", `--service is one of ${Object.keys(topicByService).join(", ")}`, { isRetryable: false });
  if (!/^\d{1,4}$/.test(partition)) throw new Fault("cli.no-partition", "--partition is a whole number", { isRetryable: false });
  const client = await controlClient(call, where);
  const id = call.value("id") ?? randomUUID();
  const lastOffset = call.value("last-offset");
  const place = { service, topic, partition: Number(partition), offset, ...(lastOffset !== null && { lastOffset }) };
  const body = { reason: needed(call, "reason"), ...place };
  const accepted = await sendDecision(client, machineTime, "/skip", body, id);
  if (isProposed(accepted)) {
    where.out(
      call.flag("json") ? JSON.stringify(accepted, null, 2) : proposedLine(`skip of ${topic}/${partition} offset ${offset}`, accepted),
    );
    return 0;
  }
  const letter = memberText(accepted, "letter");
  const isUnawaited = call.flag("no-wait");
  const hasPassed = !isUnawaited && (await awaitSkip(client, machineTime, letter));
  if (call.flag("json")) where.out(JSON.stringify({ ...accepted, hasPassed: isUnawaited ? null : hasPassed }, null, 2));
  else {
    const outcome = skipOutcome(isUnawaited ? null : hasPassed);
    where.out(
      `${topic}/${partition} offset ${offset}${lastOffset === null ? "" : ` to ${lastOffset}`}: ${outcome} (letter ${letter}, request ${id})`,
    );
  }
  return hasPassed || isUnawaited ? 0 : 1;
};

export const deadLettersSkipVerb: Verb = {
  name: "dead-letters skip",
  summary: "skips the record or the batch at which a partition is stopped, such as one whose schema no registry has",
  arguments: [],
  options: {
    service: { type: "string", placeholder: "NAME", text: "whose partition", choices: Object.keys(topicByService), isRequired: true },
    partition: {
      type: "string",
      placeholder: "N",
      text: "the partition that is stopped (./sluice services, the log event partition.retry)",
      isRequired: true,
    },
    offset: { type: "string", placeholder: "N", text: "the record at which it is stopped", isRequired: true },
    "last-offset": {
      type: "string",
      placeholder: "N",
      text: "of a batch that cannot be read, whose first record is --offset: its last record (./sluice status)",
    },
    reason: { type: "string", placeholder: "TEXT", text: "why; kept with the letter", isRequired: true },
    id: { type: "string", placeholder: "ID", text: "the request's id (one is made): sent again under the same id it is one request" },
    "no-wait": { type: "boolean", text: "does not wait until the partition has skipped the record" },
    ...controlOptions,
  },
  notes: ["Exit 0 if the partition has skipped it, or the skip is proposed to a second person; 1 if not within 30 s."],
  examples: [
    'dead-letters skip --service scheduler --partition 3 --offset 118 --reason "no registry has its schema"',
    'dead-letters skip --service scheduler --partition 3 --offset 120 --last-offset 139 --reason "no replica has it whole"',
  ],
  run: asControlVerb(runDeadLettersSkip),
};
