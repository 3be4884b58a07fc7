// What the console signs, as the services that act on it verify it.

import { headers, topics } from "@sluice/contracts";
import { decisionProposedSchema } from "@sluice/contracts/control-answers";
import type { OutgoingRecord, Producer, ReceivedRecord } from "@sluice/messaging";
import { silentLogger } from "@sluice/kernel";
import {
  coveredHeaders,
  createRecordJudge,
  operatorSignatureHeader,
  type OperatorSignatures,
  type OwnKey,
  readSigningKey,
} from "@sluice/signatures";
import { type CallerKey, callerKeys, messageKey } from "@sluice/signatures/signed.fixture";
import { sampleOperator } from "@sluice/testkit";
import { expect, test } from "vitest";
import { consoleStartAtMs } from "../console.fixture.ts";
import { decisionHourMs, openDecisionEnvironment, planOpenDay } from "./decisions.fixture.ts";
import { signRecords } from "./sign-records.ts";

const ownKey = ({ pair }: CallerKey): OwnKey => readSigningKey(pair.privateKey.export({ format: "pem", type: "pkcs8" }));
const own = ownKey(callerKeys.ed25519);
const operatorSignatures: OperatorSignatures = { requiredFromMs: 0, keys: [messageKey("console-1", callerKeys.ed25519)] };
const judge = createRecordJudge(() => operatorSignatures);

type Environment = Awaited<ReturnType<typeof openDecisionEnvironment>>;

const recordsOf = ({ messaging }: Environment, topic: string): readonly ReceivedRecord[] =>
  [0, 1, 2].flatMap((partition) => messaging.records({ topic, partition }));

const pause = { body: { reason: "the bank asked for it" }, actionId: "p-1" };

test("a decision is signed with the console's key, under the name that the configuration has for it [D10.93]", async () => {
  const environment = await openDecisionEnvironment({ operatorSignatures }, { operatorKey: () => own });
  expect((await environment.control("/banks/first/pause", pause)).status).toBe(202);
  expect((await environment.control("/banks/first/check", { body: { reason: "r" }, actionId: "c-1" })).status).toBe(202);
  const signed = [topics.journal, topics.dispatch, topics.events].flatMap((topic) => recordsOf(environment, topic));
  expect(signed.map((record) => [record.headers[headers.type], judge(record)])).toEqual([
    ["BankPauseRequested", null],
    ["EndpointCheckRequested", null],
    ["EndpointCheckRequested", null],
  ]);
});

test("a decision that a second person confirms is signed when it is confirmed [D10.93]", async () => {
  const secondPerson = { actions: ["extend"], proposalLifetimeMs: 3_600_000 } as const;
  const operators = [sampleOperator(), sampleOperator({ id: "second", roles: ["read", "approve"] })];
  const environment = await openDecisionEnvironment({ operatorSignatures, secondPerson, operators }, { operatorKey: () => own });
  await environment.saveDay(planOpenDay());
  const closesAt = new Date(consoleStartAtMs + 8.5 * decisionHourMs).toISOString();
  const extension = { body: { reason: "the bank is late", window: 1, closesAt }, actionId: "x-1" };
  const proposed = await environment.control("/days/ZA_EFT/2026-11-20/close-extension", extension);
  const { id, offset, contentSha256 } = decisionProposedSchema.parse(await proposed.json());
  expect(recordsOf(environment, topics.journal)).toEqual([]);
  const confirmation = { body: { reason: "seen", offset, contentSha256 }, operator: "second", actionId: "c-1" };
  expect((await environment.control(`/proposals/${id}/confirmation`, confirmation)).status).toBe(202);
  expect(recordsOf(environment, topics.journal).map((record) => judge(record))).toEqual([null]);
});

test.each([
  ["without a key", (): OwnKey | null => null],
  ["with a key that the configuration does not have", (): OwnKey | null => ownKey(callerKeys.ec)],
] as const)("%s a decision is answered 503, and nothing is stored; it can be sent again [D10.93]", async (_, operatorKey) => {
  let key: () => OwnKey | null = operatorKey;
  const environment = await openDecisionEnvironment({ operatorSignatures }, { operatorKey: () => key() });
  expect((await environment.control("/banks/first/pause", pause)).status).toBe(503);
  expect(recordsOf(environment, topics.journal)).toEqual([]);
  key = () => own;
  expect((await environment.control("/banks/first/pause", pause)).status).toBe(202);
});

test("without signatures in the configuration nothing is signed, whether there is a key or not", async () => {
  const environment = await openDecisionEnvironment({}, { operatorKey: () => own });
  expect((await environment.control("/banks/first/pause", pause)).status).toBe(202);
  expect(recordsOf(environment, topics.journal).map((record) => record.headers[operatorSignatureHeader])).toEqual([undefined]);
});

test("a replayed dead letter is never signed here: a stranger's record would become an operator's [D10.93]", async () => {
  const sent: OutgoingRecord[] = [];
  const producer: Producer = {
    send: (records) => {
      sent.push(...records);
      return Promise.resolve([]);
    },
    close: () => Promise.resolve(),
  };
  const ports = { configuration: { operatorSignatures }, logger: silentLogger, operatorKey: () => own };
  const record = { topic: topics.journal, partition: 0, key: Buffer.from("bank:first"), value: Buffer.from("forged"), headers: {} };
  const replayed = { ...record, headers: { [headers.deadLetter]: "0:1" } };
  await signRecords(producer, ports).send([replayed, { ...record, topic: topics.proposals }, record]);
  expect(sent.map((one) => judge({ ...one, appendedAtMs: 0 }))).toEqual(["not-signed", "not-signed", null]);
});

test("the names of headers are those of the contracts: what is signed is what the readers act on", () => {
  expect(operatorSignatureHeader).toBe(headers.operatorSignature);
  expect(coveredHeaders).toEqual([headers.skip, headers.unreadableBatch, headers.quarantinedFrom, headers.quarantinedTo]);
});
