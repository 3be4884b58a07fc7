// Answers of the control API about decisions that need a second person.

import * as z from "zod";
import { actionMembers, bigNumberSchema, textSchema, timeSchema } from "./answer-parts.ts";

const proposalEnd = z
  .strictObject({ at: timeSchema, ...actionMembers })
  .meta({ id: "ProposalEnd" })
  .nullable();

const proposalMembers = {
  ...actionMembers,
  state: z.enum(["proposed", "confirmed", "rejected", "retracted", "expired"]).meta({
    id: "ProposalState",
    description:
      "proposed: it waits for a second person. confirmed: its decision was sent under its id. rejected, retracted: its decision is never sent. expired: nobody confirmed it in time.",
  }),
  operation: textSchema.meta({ description: "Name of the operation, such as declareCreditsFinal." }),
  path: textSchema,
  body: z.looseObject({ reason: textSchema }).meta({ id: "ProposedBody", description: "Body of the decision." }),
  offset: bigNumberSchema,
  contentSha256: textSchema.meta({ description: "SHA-256, hex, of what is proposed and why." }),
  proposedAt: timeSchema,
  expiresAt: timeSchema,
  confirmed: proposalEnd,
  rejected: proposalEnd.meta({ description: "Who rejected it, and why; null: nobody did." }),
  retracted: proposalEnd.meta({ description: "Why the person who proposed it retracted it; null: they did not." }),
};

export const proposalEndedSchema = z.strictObject({ schema: z.literal("ProposalEnded"), ...proposalMembers }).meta({
  id: "ProposalEnded",
  description: "The proposal has ended: its decision is never sent.",
});

/** A row of the list. */
export const proposalSchema = z.strictObject(proposalMembers);

/** The answer of a decision that waits for a second person. */
export const decisionProposedSchema = z.strictObject({ schema: z.literal("DecisionProposed"), ...proposalMembers }).meta({
  id: "DecisionProposed",
  description: "The decision is recorded as a proposal. It takes effect only when a second person confirms it.",
});
