// `./sluice dead-letters put`: the record at which a lane stands is put aside by hand; then it is waited for that the lane has passed it.

import { randomUUID } from "node:crypto";
import { topics } from "@sluice/contracts";
import { Fault, machineTime, sleep, type Time } from "@sluice/runtime";
import { asControlVerb, controlClient, type ControlClient, type RunControlVerb } from "./control-client.ts";
import { neededOption as needed, sent } from "./control-decision.ts";
import { textAt } from "./control-table.ts";

/** Longer than the longest wait of a lane between two tries. */
const waitMaxMs = 30_000;
const againMs = 500;

const topicOf: Readonly<Record<string, string>> = {
  scheduler: topics.journal,
  validator: topics.journal,
  dispatcher: topics.dispatch,
  "event-publisher": topics.events,
};

export const runDeadLettersPut: RunControlVerb = async (call, where) => {
  const service = needed(call, "service");
  const [topic, partition, offset] = [topicOf[service], needed(call, "partition"), needed(call, "offset")];
  if (topic === undefined)
    throw new Fault("cli.no-service", `--service is one of ${Object.keys(topicOf).join(", ")}`, { isRetryable: false });
  if (!/^\d{1,4}$/.test(partition)) throw new Fault("cli.no-partition", "--partition is a whole number", { isRetryable: false });
  const client = await controlClient(call, where);
  const id = call.value("id") ?? randomUUID();
  const body = { reason: needed(call, "reason"), service, topic, partition: Number(partition), offset };
  const accepted = await sent(client, machineTime, "/put-aside", body, id);
  const letter = textAt(accepted, "letter");
  const isUnawaited = call.flag("no-wait");
  const hasPassed = !isUnawaited && (await passed(client, machineTime, letter));
  if (call.flag("json")) where.out(JSON.stringify({ ...accepted, hasPassed: isUnawaited ? null : hasPassed }, null, 2));
  else {
    const lane = isUnawaited ? "asked for" : hasPassed ? "the lane has passed it" : "the lane has not passed it within 30 s";
    where.out(`${topic}/${partition} offset ${offset}: ${lane} (letter ${letter}, request ${id})`);
  }
  return hasPassed || isUnawaited ? 0 : 1;
};

export const deadLettersPut = asControlVerb(runDeadLettersPut);

async function passed(client: ControlClient, time: Time, letter: string): Promise<boolean> {
  const untilMs = time.monotonicMs() + waitMaxMs;
  for (;;) {
    try {
      const shown = await client.get(`/dead-letters/${encodeURIComponent(letter)}`);
      if (textAt(shown, "lane.hasPassed") === "true") return true;
    } catch (error) {
      if (!(error instanceof Fault) || !error.isRetryable) throw error;
    }
    if (time.monotonicMs() >= untilMs) return false;
    await sleep(time, againMs);
  }
}
