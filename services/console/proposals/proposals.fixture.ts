// For tests of proposals: the console's environment with a planned day and four operators, and functions that propose,
// confirm, end and list.

import type { ConfiguredOperator } from "@sluice/config";
import { createFixedSerde, outgoingRecord, partitionFor, topics, type AnyDecodedRecord } from "@sluice/contracts";
import { controlAnswers, decisionProposedSchema } from "@sluice/contracts/control-answers";
import { secondPersonActions } from "@sluice/domain";
import type { MemoryBroker } from "@sluice/messaging";
import { sampleOperator } from "@sluice/testkit";
import { expect } from "vitest";
import { openDecisionEnvironment, planOpenDay } from "../decisions/decisions.fixture.ts";
import { readJsonObject } from "../console.fixture.ts";

export const reason = "the clearing house called, ticket 4711";
export const endReason = "I looked at it too";
export const path = "/days/ZA_EFT/2026-11-20/credits-final";
export const lifetimeMs = 3_600_000;

export const operators = [
  sampleOperator({ roles: ["read", "act", "approve"] }),
  sampleOperator({ id: "other-token", person: "operator", roles: ["read", "act", "approve"] }),
  sampleOperator({ id: "second-person", roles: ["read", "approve"] }),
  sampleOperator({ id: "third-person", roles: ["read", "act", "approve"] }),
];

export async function openProposalEnvironment(
  actions: readonly (typeof secondPersonActions)[number][] = secondPersonActions,
  more: readonly ConfiguredOperator[] = [],
) {
  const secondPerson = { actions, proposalLifetimeMs: lifetimeMs };
  const environment = await openDecisionEnvironment({ secondPerson, operators: [...operators, ...more] });
  await environment.saveDay(planOpenDay());
  return { ...environment, proposals: () => readProposals(environment.messaging) };
}

/** Every record of the topic, in its order. */
function readProposals(messaging: Pick<MemoryBroker, "records">): readonly AnyDecodedRecord[] {
  const partition = partitionFor("proposals", 3);
  const records = messaging.records({ topic: topics.proposals, partition });
  return records.flatMap(({ value }) => (value === null ? [] : [createFixedSerde().decode(value)]));
}

export type ProposalEnvironment = Awaited<ReturnType<typeof openProposalEnvironment>>;
export type ShownProposal = Awaited<ReturnType<typeof propose>>;

export async function propose({ control }: ProposalEnvironment, actionId = "final-1", body: object = { reason }) {
  const answer = await control(path, { body, actionId });
  expect(answer.status).toBe(202);
  return decisionProposedSchema.parse(await answer.json());
}

export type EndAddress = "confirmation" | "rejection" | "retraction";

/** Sends the confirmation, rejection or retraction of what the list shows. */
export async function end(
  { control }: ProposalEnvironment,
  address: EndAddress,
  { id, offset, contentSha256 }: Pick<ShownProposal, "id" | "offset" | "contentSha256">,
  operator: string,
  actionId: string,
) {
  const body = { reason: endReason, offset, contentSha256 };
  const answer = await control(`/proposals/${id}/${address}`, { body, operator, actionId });
  return { status: answer.status, detail: "", ...(await readJsonObject(answer)) };
}

export async function confirm(
  environment: ProposalEnvironment,
  shown: Pick<ShownProposal, "id" | "offset" | "contentSha256">,
  operator = "second-person",
  actionId = "c-1",
) {
  return await end(environment, "confirmation", shown, operator, actionId);
}

type EndRecordName = "DecisionConfirmed" | "DecisionRejected" | "DecisionRetracted";

/** Appends a record that ends the proposal, as another console would that has read the topic before. */
export async function appendEnd(
  { messaging, settled }: ProposalEnvironment,
  name: EndRecordName,
  { id, offset, contentSha256 }: Pick<ShownProposal, "id" | "offset" | "contentSha256">,
  operator: string,
): Promise<void> {
  const action = { id: `${id}-by-${operator}`, operator, person: operator, reason: endReason, requestedAtMs: 0, confirmedBy: null };
  const value = { action, proposal: id, proposalOffset: BigInt(offset), proposalSha256: contentSha256 };
  const record: AnyDecodedRecord = { name, value };
  const producer = await settled(messaging.producer(`console of ${operator}`));
  await settled(producer.send([outgoingRecord(createFixedSerde(), topics.proposals, "proposals", record, { partitionCount: 3 })]));
}

export async function list({ control }: ProposalEnvironment, query = "") {
  return controlAnswers.listProposals.parse(await (await control(`/proposals${query}`, { operator: "second-person" })).json());
}
