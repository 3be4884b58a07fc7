// An operator's check of a receiver's addresses.

import { createFixedSerde, outgoingRecord, topics } from "@sluice/contracts";
import type { EndpointCall, ReceiverAnswer } from "@sluice/delivery";
import { operatorSignatureHeader, readSigningKey, signRecord } from "@sluice/signatures";
import { callerKeys, messageKey } from "@sluice/signatures/signed.fixture";
import { sampleBank } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createDispatcherEnvironment, type DispatcherEnvironment } from "../dispatcher.fixture.ts";

const action = { id: "c-1", operator: "thandi", person: "thandi", reason: "goes live", requestedAtMs: 0, confirmedBy: null };
const reached: ReceiverAnswer = { kind: "answered", status: 405, retryAfter: null, body: new Uint8Array() };
const elsewhere = { inboundDirectDebit: "https://debits.example/in" };

/** A dispatcher whose receivers answer checks like this; `called` has the calls. */
function openChecked(
  answer: ReceiverAnswer,
  more: Pick<NonNullable<Parameters<typeof createDispatcherEnvironment>[0]>, "operatorSignatures"> = {},
) {
  const banks = [sampleBank({ id: "first", operationUrls: elsewhere, eventsUrl: "https://events.example" })];
  const environment = createDispatcherEnvironment({ banks, ...more });
  const called: EndpointCall[] = [];
  environment.answersToChecks((call) => {
    called.push(call);
    return answer;
  });
  return { environment, called };
}

async function request(environment: DispatcherEnvironment): Promise<void> {
  const decoded = { name: "EndpointCheckRequested", value: { action, bank: "first" } } as const;
  await environment.append(topics.dispatch, [{ key: "bank:first", decoded }]);
}

test("each address of messages is called once without a message, and what came is kept with its health [D10 check]", async () => {
  const { environment, called } = openChecked(reached);
  await environment.start();
  await request(environment);
  await environment.until(() => called.length === 2);
  await environment.time.advance(2_000);
  expect(new Set(called.map(({ receiverId, operation }) => `${receiverId} ${operation}`))).toEqual(
    new Set(["first inboundDirectDebit", "first outboundDirectDebitResponse"]),
  );
  const kept = await environment.during(environment.store.endpointHealth.all("dispatcher"));
  expect(kept.map(({ check }) => check)).toMatchObject([
    { action: "c-1", httpStatusCode: 405, reason: null },
    { action: "c-1", httpStatusCode: 405, reason: null },
  ]);
  expect(kept.map(({ checks }) => checks)).toMatchObject([
    [{ action: "c-1", operator: "thandi", httpStatusCode: 405 }],
    [{ action: "c-1" }],
  ]);
  expect(environment.received).toEqual([]);
});

test("I7: a check that is not answered moves no breaker, and is made also while the receiver is paused [D10 check]", async () => {
  const { environment, called } = openChecked({ kind: "silent", reason: "ECONNREFUSED" });
  await environment.start();
  await environment.pause();
  for (let number = 0; number < 30; number += 1) await request(environment);
  await environment.until(() => called.length === 60);
  await environment.time.advance(2_000);
  const kept = await environment.during(environment.store.endpointHealth.all("dispatcher"));
  expect(kept.map(({ breaker, check }) => [breaker, check?.reason])).toEqual([
    [null, "ECONNREFUSED"],
    [null, "ECONNREFUSED"],
  ]);
});

test("a request that is older than a minute, as after a restart, is passed over", async () => {
  const { environment, called } = openChecked(reached);
  await request(environment);
  await environment.time.advance(61_000);
  await environment.start();
  await environment.dispatch({});
  await environment.until(() => environment.received.length === 1);
  await environment.time.advance(2_000);
  expect(called).toEqual([]);
});

test("a check that no console has signed is not made, where operators' records must be signed [D10.93]", async () => {
  const own = readSigningKey(callerKeys.ed25519.pair.privateKey.export({ format: "pem", type: "pkcs8" }));
  const operatorSignatures = { requiredFromMs: 0, keys: [messageKey("console-1", callerKeys.ed25519)] };
  const { environment, called } = openChecked(reached, { operatorSignatures });
  await environment.start();
  await request(environment);
  await environment.dispatch({});
  await environment.until(() => environment.received.length === 1);
  expect(called).toEqual([]);
  const decoded = { name: "EndpointCheckRequested", value: { action, bank: "first" } } as const;
  const record = outgoingRecord(createFixedSerde(), topics.dispatch, "bank:first", decoded, { partitionCount: 1 });
  const headers = { [operatorSignatureHeader]: signRecord(own, "console-1", record) };
  await environment.append(topics.dispatch, [{ key: "bank:first", decoded, headers }]);
  await environment.until(() => called.length === 2);
});
