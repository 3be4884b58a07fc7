// putDeadLetter: an operator has a record put aside that stops a lane, such as one whose schema no registry has.
//
// #1 Only the record at which the lane stands. The request is a dead letter that says `asked`, in the record's own partition; the lane's owner finds
//    it the next time the record stops it, and passes the record with a letter of its own.
// #2 It cannot be a record of the journal: the lane that would read it is the one that stands.
// #3 Sent again under the same id it is the same letter.

import { headers } from "@sluice/contracts";
import { deadLetterOf, type ReceivedRecord } from "@sluice/messaging";
import type { Serde } from "@sluice/contracts";
import type { Store } from "@sluice/store";
import type { Log, Metrics } from "@sluice/telemetry";
import type { Random } from "@sluice/runtime";
import { deciding, refused, type Deciding } from "./acting.ts";
import { instantText } from "./answer.ts";
import type { ControlAnswer, ControlHandler } from "./control-handler.ts";
import { appendAll, uncertain, type LetterAppendPorts } from "./dead-letter-append.ts";
import { idOf, lettersOf, type Letter, type LetterPorts } from "./dead-letter-reading.ts";
import { standingOf, topicOfService } from "./lane-standing.ts";

export interface PutPorts extends LetterPorts, LetterAppendPorts {
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly serde: Serde;
  readonly store: Pick<Store, "lanes">;
  readonly lanes: number;
}

type Put = Deciding<"putDeadLetter">;

export function putDeadLetter(ports: PutPorts): ControlHandler {
  return deciding(ports, "putDeadLetter", async (put) => {
    const { service, topic, partition } = put.body;
    const read = topicOfService[service] ?? "";
    if (topic !== read) return refused(422, "The message cannot be processed.", `/topic: the ${service} reads ${read}`);
    if (partition >= ports.lanes) return refused(422, "The message cannot be processed.", `/partition: there are ${ports.lanes}`);
    const before = await askedBefore(ports, put);
    if (before !== null) return before;
    const record = await recordAt(ports, put);
    if (record === null) return refused(404, "Not known", "There is no such record.");
    const position = await standingOf(ports, service, partition);
    return position === record.offset ? await ask(ports, put, record) : elsewhere(position);
  });
}

/** #3 */
async function askedBefore(ports: PutPorts, { body, action }: Put): Promise<ControlAnswer | null> {
  const isNoRequest = (record: ReceivedRecord): boolean => record.headers[headers.byHand] !== "asked";
  const isIts = (letter: Letter): boolean => letter.said.actionId === action.id;
  const [letter] = await lettersOf(ports, body.partition, { skips: isNoRequest }, isIts);
  if (letter === undefined) return null;
  const { topic, offset, service, operator, reason } = letter.said;
  const isSame =
    topic === body.topic && offset === body.offset && service === body.service && operator === action.operator && reason === action.reason;
  if (isSame) return accepted({ body, action }, letter, letter.putAsideAtMs);
  return refused(409, "Another decision", "This Idempotency-Key was used for another decision. Take a new one.");
}

async function recordAt({ messaging }: PutPorts, { body: { topic, partition, offset } }: Put): Promise<ReceivedRecord | null> {
  const place = { topic, partition };
  const [ends] = await messaging.ends([place]);
  if (ends === undefined || offset < ends.logStart || offset >= ends.logEnd) return null;
  for await (const record of messaging.read(place, offset, offset + 1n)) return record.offset === offset ? record : null;
  return null;
}

/** #1 */
function elsewhere(position: bigint | null): ControlAnswer {
  const stands = position === null ? "it never had one" : `it stands at ${position}`;
  return refused(409, "Not possible now", `not-there: only the record at which the lane stands can be put aside; ${stands}.`);
}

async function ask(ports: PutPorts, { body, action }: Put, record: ReceivedRecord): Promise<ControlAnswer> {
  const { service } = body;
  const by = { operator: action.operator, actionId: action.id, stage: "asked" } as const;
  const [appended] = (await appendAll(ports, [deadLetterOf({ record, reason: action.reason, service, by }, ports.serde)])) ?? [];
  const actions = ports.metrics.counter("sluice_console_actions_total", "Operators' decisions that were to be appended", [
    "kind",
    "outcome",
  ]);
  actions.add({ kind: "DeadLetter", outcome: appended === undefined ? "unknown" : "appended" });
  if (appended === undefined) return uncertain;
  const { topic, partition, offset } = record;
  ports.log.info("put-aside.asked", { action: action.id, operator: action.operator, service, topic, partition, offset: offset.toString() });
  return accepted({ body, action }, appended, appended.appendedAtMs);
}

function accepted({ body, action }: Pick<Put, "body" | "action">, letter: Parameters<typeof idOf>[0], atMs: number): ControlAnswer {
  const { service, topic, partition, offset } = body;
  const place = { service, topic, partition, offset };
  return {
    kind: "accepted",
    body: { schema: "PutAsideAsked", action: action.id, letter: idOf(letter), ...place, appendedAt: instantText(atMs) },
  };
}
