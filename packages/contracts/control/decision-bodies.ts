// Bodies of operators' decisions, as they come over HTTP. They are read as strictly as messages. A value that no
// aggregate would ever accept is refused here with 422.

import { assert } from "@sluice/kernel";
import * as z from "zod";
import type { ReadResult } from "../api.ts";
import type { ControlOperationName } from "./operations.ts";
import { canonicalJson } from "../messages/json/canonical-json.ts";
import { numberText, parseJson } from "../messages/json/json.ts";
import {
  cannotProcess,
  isoDate,
  isoDateTime,
  identifierString,
  integerToken,
  optional,
  object,
  choice,
  matching,
  string,
  uuid,
} from "../messages/read/message-fields.ts";
import { parseMessage } from "../messages/read/parse-message.ts";

const gateCreditsMax = 1_000;
/** Dead letters that one replay leaves. */
const leftLettersMax = 1_000;
const windowNumberMax = 24;
const partitionMax = 9_999;
/** Dead letters and transactions of one replay: a console has 8 s to answer. */
export const replayedMax = 50;
const replayedRecordsMax = 100_000;

const reason = string(500, 1)
  .refine((given) => given.trim() !== "", "must say something")
  .meta({ description: "Why. It is kept with the decision for good, beside who decided it and when; name no person and no account." });
const bank = matching(/^[a-z0-9-]{1,32}$/, "the configured id of a bank or connector");
const uetr = uuid.transform((given) => given.toLowerCase());
const day = z
  .string()
  .refine((given) => /^[A-Z][A-Z0-9_]{0,34}:/.test(given) && isoDate.safeParse(given.slice(given.indexOf(":") + 1)).success, {
    message: "must be scheme:date, such as ZA_EFT:2026-11-20",
  })
  .meta({ pattern: "^[A-Z][A-Z0-9_]{0,34}:[0-9]{4}-[0-9]{2}-[0-9]{2}$", description: "Business day of the item, scheme:date." });
const offsetText = matching(/^(0|[1-9][0-9]{0,18})$/, "an offset, as text");

const reasoned = object({ reason }).meta({ id: "Reasoned" });

const redrive = object({
  reason,
  messageIdentification: identifierString(64).meta({ description: "Of the refused delivery; of a posting the event's id (`webhook-id`)." }),
  target: optional(
    choice(["DELIVERY", "POSTING"]).meta({ description: "A message to a bank or connector (the default), or the posting of an event." }),
  ),
});

const stop = object({
  reason,
  messageIdentification: identifierString(64).meta({ description: "Of the delivery; of a posting the event's id (`webhook-id`)." }),
  target: optional(
    choice(["DELIVERY", "POSTING"]).meta({ description: "A message to a bank or connector (the default), or the posting of an event." }),
  ),
});

/** Messages of one bank that are redriven at once: a console has 8 s to answer. */
export const redrivenMax = 500;

/** Transactions of one decision about several: a console has 8 s to answer. */
export const severalMax = 500;
/** Banks and connectors of one decision: as many as the configuration admits. */
const receiversAtOnceMax = 1_100;

const redriveSeveral = object({
  reason,
  of: z
    .array(identifierString(64))
    .min(1, "at least one")
    .max(redrivenMax, `at most ${redrivenMax}`)
    .refine((given) => new Set(given).size === given.length, "one of them twice")
    .meta({ uniqueItems: true, description: "Identifications of the messages, as the list of refused messages has them." }),
  target: optional(choice(["DELIVERY", "POSTING"]).meta({ description: "Messages (the default), or postings of events." })),
  isDryRun: optional(z.boolean().meta({ description: "true: only say what would be redriven." })),
});

const resolution = object({
  reason,
  day,
  resolution: choice(["MADE", "NOT_MADE", "REPLACED"]).meta({
    description: "What people found: it was made, it was not, or another transaction took its place.",
  }),
  replacedBy: optional(uetr.meta({ description: "UETR that took its place; with REPLACED alone, and needed there." })),
}).superRefine((given, context) => {
  const isReplaced = given.resolution === "REPLACED";
  if (isReplaced && given.replacedBy === null) cannotProcess(context, "is required with REPLACED", ["replacedBy"]);
  if (!isReplaced && given.replacedBy !== null) cannotProcess(context, "only with REPLACED", ["replacedBy"]);
});

const itemNote = object({
  reason: reason.meta({ description: "The note. It is kept for good, beside who wrote it and when; name no person and no account." }),
  day,
  assignee: optional(
    matching(/^[a-z0-9-]{1,32}$/, "the configured id of an operator").meta({
      description: "Who sees to the item from here on. Left out: nobody.",
    }),
  ),
});

const confirmedRequest = {
  offset: offsetText.meta({ description: "Offset in the journal of the request that is confirmed, as the item shows it." }),
  contentSha256: matching(/^[0-9a-f]{64}$/, "64 hex digits").meta({
    description: "SHA-256 of what that request decides and why, as the item shows it: what was seen is what is confirmed.",
  }),
};
const confirmedOne = object({ uetr, ...confirmedRequest }).transform(({ offset, ...rest }) => ({ ...rest, offset: BigInt(offset) }));
const confirmation = object({ reason, ...confirmedRequest }).transform(({ offset, ...rest }) => ({ ...rest, offset: BigInt(offset) }));
const rejectedRequest = {
  offset: confirmedRequest.offset.meta({ description: "Offset in the journal of the request that is rejected, as the item shows it." }),
  contentSha256: confirmedRequest.contentSha256.meta({
    description: "SHA-256 of what that request decides and why, as the item shows it: what was seen is what is rejected.",
  }),
};
const rejectedOne = object({ uetr, ...rejectedRequest }).transform(({ offset, ...rest }) => ({ ...rest, offset: BigInt(offset) }));
const rejection = object({ reason, ...rejectedRequest }).transform(({ offset, ...rest }) => ({ ...rest, offset: BigInt(offset) }));

/** What a confirmation, a rejection and a retraction name. */
const namedProposal = object({
  reason,
  offset: offsetText.meta({ id: "ProposalOffset", description: "Offset of the proposal, as the list of proposals shows it." }),
  contentSha256: matching(/^[0-9a-f]{64}$/, "64 hex digits").meta({
    id: "ProposalSha256",
    description:
      "SHA-256 of what is proposed and why, as the list of proposals shows it: what was seen is what is confirmed, rejected or retracted.",
  }),
})
  .transform(({ offset, ...rest }) => ({ ...rest, offset: BigInt(offset) }))
  .meta({ id: "NamedProposal" });

const closeExtension = object({
  reason,
  window: integerToken(0, "Number of the processing window; 0: the reconciliation close.", windowNumberMax),
  closesAt: isoDateTime.meta({ description: "The new time of the close; an instant, with its offset." }),
}).transform(({ window, ...rest }) => ({ ...rest, window: Number(numberText(window)) }));

const creditsFinal = object({
  reason,
  bank: optional(bank.meta({ description: "The one bank that it is declared for; left out: all." })),
});

const gateOpening = object({
  reason,
  bank,
  credits: z
    .array(uetr)
    .min(1, "at least one")
    .max(gateCreditsMax, `at most ${gateCreditsMax}`)
    .refine((given) => new Set(given).size === given.length, "one of them twice")
    .meta({
      uniqueItems: true,
      description: "UETRs of the unresolved credits that keep the gate closed, every one of them: responsibility is taken for each.",
    }),
});

const pauseEnd = optional(
  isoDateTime.meta({
    description: "Maintenance: the pause ends by itself then; an instant, with its offset. Left out: a resume ends it.",
  }),
);
const pause = object({ reason, until: pauseEnd });

const isDryRun = optional(z.boolean().meta({ description: "true: only say what would come of each." }));

/** Several of something, none of them twice. */
function severalOf<Schema extends z.ZodType>(one: Schema, max: number, nameOf: (given: z.output<Schema>) => string) {
  return z
    .array(one)
    .min(1, "at least one")
    .max(max, `at most ${max}`)
    .refine((given) => new Set(given.map((value) => nameOf(value))).size === given.length, "one of them twice")
    .meta({ uniqueItems: true });
}

const severalWithdrawals = object({
  reason,
  of: severalOf(uetr, severalMax, (given) => given).meta({ description: "UETRs of the debits, every one of them." }),
  isDryRun,
});

const severalResolutions = object({
  reason,
  of: severalOf(object({ uetr, day }), severalMax, (given) => `${given.uetr} ${given.day}`).meta({
    description: "The items, every one of them: each is a transaction and its business day.",
  }),
  resolution: choice(["MADE", "NOT_MADE"]).meta({ description: "What people found of each: it was made, or it was not." }),
  isDryRun,
});

const severalConfirmations = object({
  reason,
  of: severalOf(confirmedOne, severalMax, (given) => given.uetr).meta({
    description: "The requests that are confirmed, every one of them as its item shows it.",
  }),
  isDryRun,
});

const severalRejections = object({
  reason,
  of: severalOf(rejectedOne, severalMax, (given) => given.uetr).meta({
    description: "The requests that are rejected, every one of them as its item shows it.",
  }),
  isDryRun,
});

const severalBanks = severalOf(bank, receiversAtOnceMax, (given) => given).meta({
  description: "Banks and connectors, every one of them.",
});
const severalPauses = object({ reason, of: severalBanks, until: pauseEnd, isDryRun });
const severalResumptions = object({ reason, of: severalBanks, isDryRun });

const skipRecord = object({
  reason,
  service: choice(["scheduler", "validator", "dispatcher", "event-publisher"]).meta({
    description: "Whose partition stands at the record.",
  }),
  topic: string(249, 1).meta({ description: "The topic that it reads." }),
  partition: integerToken(0, "The partition in which the partition stands.", partitionMax),
  offset: offsetText.meta({ description: "Offset of the record, as text; of a batch that cannot be read, its first one." }),
  lastOffset: optional(
    offsetText.meta({ description: "Only of a batch that cannot be read: its last offset, as the service's readiness names it." }),
  ),
}).transform(({ partition, offset, lastOffset, ...rest }) => ({
  ...rest,
  partition: Number(numberText(partition)),
  offset: BigInt(offset),
  lastOffset: lastOffset === null ? null : BigInt(lastOffset),
}));

const replay = object({
  reason,
  isDryRun: optional(z.boolean().meta({ description: "true: only say what would be appended." })),
});

const replaySeveral = object({
  reason,
  of: z
    .array(matching(/^(?:\d{1,4}:\d{1,19}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/, "a dead letter or a UETR"))
    .min(1, "at least one")
    .max(replayedMax, `at most ${replayedMax}`)
    .refine((given) => new Set(given).size === given.length, "one of them twice")
    .meta({ uniqueItems: true, description: "Dead letters (partition:offset) and transactions (UETRs), every one of them." }),
  records: optional(integerToken(1, "How many records they have, as a dry run says; needed but for a dry run.", replayedRecordsMax)),
  isDryRun: optional(z.boolean().meta({ description: "true: only say what would be appended." })),
})
  .superRefine((given, context) => {
    if (given.records === null && given.isDryRun !== true) cannotProcess(context, "is required but for a dry run", ["records"]);
  })
  .transform(({ records, ...rest }) => ({ ...rest, records: records === null ? null : Number(numberText(records)) }));
const transactionReplay = object({
  reason,
  isDryRun: optional(z.boolean().meta({ description: "true: only say what would be appended." })),
  leave: optional(
    z
      .array(matching(/^(journal|[0-9]{1,4}):[0-9]{1,19}$/, "a letter as partition:offset, or journal:offset where the letter is gone"))
      .max(leftLettersMax)
      .meta({ description: "Dead letters that stay where they are for good, because nobody will ever read them." }),
  ),
});

const erasure = object({
  reason,
  isDryRun: optional(z.boolean().meta({ description: "true: only say what would be erased." })),
});

/** The body of each decision. */
export const controlBodies = {
  withdrawDebit: reasoned,
  withdrawDebits: severalWithdrawals,
  resolveItems: severalResolutions,
  confirmResolutions: severalConfirmations,
  rejectResolutions: severalRejections,
  pauseBanks: severalPauses,
  resumeBanks: severalResumptions,
  redriveDelivery: redrive,
  stopDelivery: stop,
  redriveBank: redriveSeveral,
  resolveItem: resolution,
  confirmResolution: confirmation,
  rejectResolution: rejection,
  noteItem: itemNote,
  extendClose: closeExtension,
  declareCreditsFinal: creditsFinal,
  openGate: gateOpening,
  pauseBank: pause,
  resumeBank: reasoned,
  checkBank: reasoned,
  checkOwnBank: reasoned,
  eraseMonth: erasure,
  skipStuckRecord: skipRecord,
  replayDeadLetter: replay,
  replayDeadLetters: replaySeveral,
  replayTransaction: transactionReplay,
  confirmProposal: namedProposal,
  rejectProposal: namedProposal,
  retractProposal: namedProposal,
} as const satisfies Partial<Record<ControlOperationName, z.ZodType>>;

export type ControlDecisionName = keyof typeof controlBodies;
export type ControlBody<Name extends ControlDecisionName> = z.output<(typeof controlBodies)[Name]>;

export function readControlBody<Name extends ControlDecisionName>(name: Name, bytes: Uint8Array): ReadResult<ControlBody<Name>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the entry of this name is the schema of this body
  const schema = controlBodies[name] as unknown as z.ZodType<ControlBody<Name>>;
  return parseMessage(bytes, schema, "this member is not known");
}

/** Writes the body of a decision as canonical JSON, so that a repeat with other white space is the same one. */
export function canonicalControlBody(bytes: Uint8Array): string {
  const parsed = parseJson(bytes);
  assert(parsed.ok, "a body that was read is JSON");
  return canonicalJson(parsed.value);
}
