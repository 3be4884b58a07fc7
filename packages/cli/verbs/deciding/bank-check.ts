// `./sluice bank check` and `./sluice bank test`: have the addresses of a bank or connector called without a message,
// wait for what comes, and say of each whether it is reached.
//
// #1 Exit 1: an address is not reached. Exit 5: not every address was called within 15 s.

import { randomUUID } from "node:crypto";
import { machineTime, sleep, type Time } from "@sluice/kernel";
import {
  asControlVerb,
  controlClient,
  controlOptions,
  type AnswerBody,
  type ControlClient,
  type RunControlVerb,
} from "../../terminal/control-client.ts";
import { maskControlCharacters, memberRows, memberText } from "../../terminal/control-table.ts";
import { exitUnknown } from "../../terminal/exit-codes.ts";
import type { Verb } from "../../terminal/verb.ts";
import { decisionOptions, requireOption, sendDecision } from "./send-decision.ts";

const waitMaxMs = 15_000;
const againMs = 250;
const exitNotReached = 1;

export function createBankCheck(time: Time): RunControlVerb {
  return async (call, where) => {
    const [bank = ""] = call.positionals;
    const reason = requireOption(call, "reason");
    const client = await controlClient(call, where);
    const id = call.value("id") ?? randomUUID();
    const path = `/banks/${encodeURIComponent(bank)}`;
    await sendDecision(client, time, `${path}/check`, { reason }, id);
    const endpoints = await awaitChecks(client, time, path, id);
    if (call.flag("json")) where.out(JSON.stringify({ schema: "EndpointChecks", bank, action: id, endpoints }, null, 2));
    else where.out(endpoints.map((endpoint) => maskControlCharacters(checkLine(endpoint, isCheckedBy(endpoint, id)))).join("\n"));
    if (!endpoints.every((endpoint) => isCheckedBy(endpoint, id))) return exitUnknown;
    return endpoints.every((endpoint) => memberText(endpoint, "check.reason") === "-") ? 0 : exitNotReached;
  };
}

/** As the bank's own person sees it, who does not see ids of checks: one that is newer than the last is the answer. */
export function createBankTest(time: Time): RunControlVerb {
  return async (call, where) => {
    const [bank = ""] = call.positionals;
    const reason = requireOption(call, "reason");
    const client = await controlClient(call, where);
    const path = `/banks/${encodeURIComponent(bank)}/own`;
    const before = new Map(memberRows(await client.get(path), "endpoints").map((one) => [endpointKey(one), memberText(one, "check.at")]));
    await sendDecision(client, time, `${path}/check`, { reason }, call.value("id") ?? randomUUID());
    const isNew = (one: AnswerBody): boolean => memberText(one, "check.at") !== (before.get(endpointKey(one)) ?? "-");
    const untilMs = time.monotonicMs() + waitMaxMs;
    let endpoints: readonly AnswerBody[];
    for (;;) {
      endpoints = memberRows(await client.get(path), "endpoints");
      if (time.monotonicMs() >= untilMs || endpoints.every(isNew)) break;
      await sleep(time, againMs);
    }
    if (call.flag("json")) where.out(JSON.stringify({ schema: "EndpointTests", bank, endpoints }, null, 2));
    else where.out(endpoints.map((one) => maskControlCharacters(checkLine(one, isNew(one)))).join("\n"));
    if (!endpoints.every(isNew)) return exitUnknown;
    return endpoints.every((one) => memberText(one, "check.reason") === "-") ? 0 : exitNotReached;
  };
}

function endpointKey(endpoint: AnswerBody): string {
  return `${memberText(endpoint, "service")} ${memberText(endpoint, "address")}`;
}

/** #1 */
async function awaitChecks(client: ControlClient, time: Time, path: string, id: string): Promise<readonly AnswerBody[]> {
  const untilMs = time.monotonicMs() + waitMaxMs;
  for (;;) {
    const { status } = await client.get(path);
    const endpoints = memberRows(Object(status), "endpoints");
    if (time.monotonicMs() >= untilMs || endpoints.every((endpoint) => isCheckedBy(endpoint, id))) return endpoints;
    await sleep(time, againMs);
  }
}

function isCheckedBy(endpoint: AnswerBody, id: string): boolean {
  return memberText(endpoint, "check.action") === id;
}

function checkLine(endpoint: AnswerBody, isCalled: boolean): string {
  const where = `${memberText(endpoint, "address")} (${memberText(endpoint, "service")})`;
  if (!isCalled) return `${where}: not called within 15 s`;
  const took = `in ${memberText(endpoint, "check.tookMs")} ms`;
  const reason = memberText(endpoint, "check.reason");
  return reason === "-"
    ? `${where}: reached, HTTP ${memberText(endpoint, "check.httpStatusCode")} ${took}`
    : `${where}: NOT REACHED, ${reason} ${took}`;
}

export const bankTestVerb: Verb = {
  name: "bank test",
  summary: "as a bank's own person: has its addresses called without a message, and says what each answered",
  arguments: [{ placeholder: "BANK", text: "the bank" }],
  options: { reason: decisionOptions.reason, id: decisionOptions.id, ...controlOptions },
  notes: [
    "Each address is called once by OPTIONS, with a webhook-id that begins with check-; once in 30 s for each bank.",
    "Exit 1 if an address is not reached, 5 if not each was called within 15 s.",
  ],
  examples: ['bank test sample --reason "our new certificate is in place"'],
  run: asControlVerb(createBankTest(machineTime)),
};

export const bankCheckVerb: Verb = {
  name: "bank check",
  summary: "has the addresses of a bank or connector called without a message: does each answer?",
  arguments: [{ placeholder: "ID", text: "the bank or connector" }],
  options: { reason: decisionOptions.reason, id: decisionOptions.id, ...controlOptions },
  notes: [
    "Dispatcher and event-publisher call each address once, by OPTIONS; any HTTP answer says that it is reached.",
    "Exit 1 if an address is not reached, 5 if not each was called within 15 s.",
  ],
  examples: ['bank check sample --reason "before the bank goes live"'],
  run: asControlVerb(createBankCheck(machineTime)),
};
