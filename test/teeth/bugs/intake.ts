// Planted bugs of intake and validation: what is answered 202, and what the verdict says.

import type { PlantedBug } from "../planted-bug.ts";

const appender = "services/ingress/journal/journal-appender.ts";
const appenderTests = ["services/ingress/journal/journal-appender.test.ts", "services/ingress/service.test.ts"];
const validatorTests = ["services/validator/service.test.ts", "services/validator/validate-payment.test.ts"];
const accessTokenTests = ["packages/service/access-tokens/access-tokens.test.ts", "packages/service/access-tokens/proof-memory.test.ts"];

const verifyRequest = "packages/signatures/verify-request.ts";
const signatureTests = ["packages/signatures/verify-request.test.ts", "services/ingress/http/message-signatures.test.ts"];

const findEvents = "services/console/own-transactions/find-events.ts";

export const intakeBugs: readonly PlantedBug[] = [
  {
    id: "accepted-though-unknown",
    breaks: "A debit whose append is in doubt is answered 202.",
    edits: [
      {
        file: appender,
        find: 'return isRefused ? { kind: "unavailable", reason: "partition" } : { kind: "unknown", reason: "not acknowledged" };',
        put: 'return isRefused ? { kind: "unavailable", reason: "partition" } : { kind: "appended", partition: 0, offset: 0n, appendedAtMs: 0 };',
      },
    ],
    nearest: appenderTests,
  },
  {
    id: "message-appended-twice",
    breaks: "Each request leaves two records in the journal, of which nobody sent the second.",
    edits: [
      {
        file: appender,
        find: ".send([record])",
        put: ".send([record, record])",
      },
    ],
    nearest: appenderTests,
  },
  {
    id: "ingress-opens-during-old-append",
    breaks: "Ingress takes records again while an append of before may still land.",
    edits: [
      {
        file: appender,
        find: "else if (state.waitingCount === 0) this.#reopen(partition, state);",
        put: "else this.#reopen(partition, state);",
      },
    ],
    nearest: appenderTests,
  },
  {
    id: "one-partition-closes-ingress",
    breaks: "A partition of the journal without a leader refuses the callers of all others.",
    edits: [
      {
        file: appender,
        find: 'if (this.#partitions[partition]?.isClosed === true) return "partition";',
        put: 'if (this.#partitions.some(({ isClosed }) => isClosed)) return "partition";',
      },
    ],
    nearest: appenderTests,
  },
  {
    id: "host-not-judged-at-a-direct-address",
    breaks: "A message is taken whose host two readers could take for different ones.",
    edits: [
      {
        file: "packages/service/http/request-listener.ts",
        find: "direct === undefined || !hasPlainHost(incoming) ?",
        put: "direct === undefined ?",
      },
    ],
    nearest: ["packages/service/http/request-listener.test.ts"],
  },
  {
    id: "last-error-not-in-the-log",
    breaks: "A process that is killed after an error leaves no line of it.",
    edits: [{ file: "packages/service/telemetry/pino-logger.ts", find: "      writer?.flush();", put: "" }],
    nearest: ["packages/service/telemetry/turn-writer.test.ts"],
  },
  {
    id: "append-waits-for-ever",
    breaks: "A log that hangs keeps callers waiting instead of answering 503 within a second.",
    edits: [{ file: appender, find: "const appendTimeoutMs = 1_000;", put: "const appendTimeoutMs = 3_600_000;" }],
    nearest: appenderTests,
  },
  {
    id: "verdict-not-awaited",
    breaks: "The validator counts a payment as done before its verdict is in the journal.",
    edits: [
      {
        file: "services/validator/on-payment-received.ts",
        find: "const [appended] = await context.producer.send([outgoing(uetr, verdict, record, context)]);",
        put: "void context.producer.send([outgoing(uetr, verdict, record, context)]).catch(() => {});\n  const [appended]: { readonly offset: bigint }[] = [];",
      },
    ],
    nearest: validatorTests,
  },
  {
    id: "verdict-under-other-key",
    breaks: "A payment whose key is not its UETR gets a verdict.",
    edits: [
      {
        file: "services/validator/on-payment-received.ts",
        find: 'if (record.key === null || new TextDecoder().decode(record.key) !== uetr) return { unreadable: "its key is not its UETR" };',
        put: "",
      },
    ],
    nearest: validatorTests,
  },
  {
    id: "dates-by-receipt-alone",
    breaks: "A debit that was appended a minute late gets the date of its receipt.",
    edits: [
      {
        file: "services/validator/check-dates.ts",
        find: "return appendedAtMs - receivedAtMs > appendLateMs ? appendedAtMs : receivedAtMs;",
        put: "return appendedAtMs === 0 ? appendedAtMs : receivedAtMs;",
      },
    ],
    nearest: validatorTests,
  },
  {
    id: "refusal-of-account-ignored",
    breaks: "An account that fails its check is accepted.",
    edits: [
      {
        file: "services/validator/validate-payment.ts",
        find: "...checkBlocked(payment, configuration), ...accounts.reasons, ",
        put: "...checkBlocked(payment, configuration), ",
      },
    ],
    nearest: validatorTests,
  },
  {
    id: "unbound-access-token",
    breaks: "An access token that is bound to nothing counts, so that who reads it is the caller.",
    edits: [
      {
        file: "packages/service/access-tokens/access-tokens.ts",
        find: 'if (certificateSha256 === null && thumbprint === null) return "token-not-bound";',
        put: "",
      },
    ],
    nearest: accessTokenTests,
  },
  {
    id: "proof-counts-again",
    breaks: "A proof of possession counts as often as it is sent.",
    edits: [
      {
        file: "packages/service/access-tokens/proof-memory.ts",
        find: 'if (own.has(mark) || previous.get(client)?.has(mark) === true) return "again";',
        put: "",
      },
    ],
    nearest: accessTokenTests,
  },
  {
    id: "unread-issuer-keys-in-silence",
    breaks: "No alarm says that the keys of an issuer of access tokens cannot be read.",
    edits: [{ file: "packages/service/access-tokens/key-sets.ts", find: "this.#isNotRead = true;", put: "" }],
    nearest: ["packages/service/access-tokens/key-sets.test.ts", "packages/process/connections/token-ports.test.ts"],
  },
  {
    id: "unread-sign-in-provider-in-silence",
    breaks: "No alarm says that the provider at which operators sign in cannot be read.",
    edits: [{ file: "packages/service/sign-in/sign-in.ts", find: "return isNotRead || isKeysNotRead;", put: "return false;" }],
    nearest: ["packages/service/sign-in/sign-in.test.ts"],
  },
  {
    id: "signature-leaves-the-body-out",
    breaks: "A signature counts that says nothing of the body.",
    edits: [
      { file: verifyRequest, find: 'names.includes("@method") && names.includes(digestHeader) &&', put: 'names.includes("@method") &&' },
    ],
    nearest: signatureTests,
  },
  {
    id: "message-chooses-its-algorithm",
    breaks: "A signature counts that names another algorithm than that of its key.",
    edits: [
      {
        file: verifyRequest,
        find: 'if (algorithm !== undefined && algorithm !== key.algorithm) return refused("signature-malformed");',
        put: "",
      },
    ],
    nearest: signatureTests,
  },
  {
    id: "signature-of-last-year",
    breaks: "A signed message counts for ever, so that who has read one can send it again for ever.",
    edits: [{ file: verifyRequest, find: "created < nowS - ageMaxS", put: "false" }],
    nearest: signatureTests,
  },
  {
    id: "signed-body-not-compared",
    breaks: "A message counts whose body is another than the one whose digest was signed.",
    edits: [{ file: "services/ingress/http/api.ts", find: "judged?.message.isBody(reading.bytes) === false", put: "judged?.ok === false" }],
    nearest: ["services/ingress/http/message-signatures.test.ts"],
  },
  {
    id: "old-events-left-out",
    breaks: "A bank that asks for events which the topic no longer has is given those behind them, without a word.",
    edits: [{ file: findEvents, find: "for (const event of await search.render(next.stageVersion)) {", put: "for (const event of []) {" }],
    nearest: ["services/console/own-transactions/get-transaction-events.test.ts"],
  },
  {
    id: "bank-sees-another",
    breaks: "A bank's own person sees the transactions of every bank whose id it puts into the address.",
    edits: [
      {
        file: "services/console/http/control-api.ts",
        find: "forBank === true && (asked === undefined || asked === bank)",
        put: "forBank === true",
      },
    ],
    nearest: ["services/console/banks/own/own.test.ts"],
  },
];
