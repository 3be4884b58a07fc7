// The headers of a request that Sluice sends to a receiver. Requests are built by this table and the document's
// parameters are made from it, so that no header is sent that the document does not explain.

export interface DeliveryHeader {
  /**
   * On every attempt, on those that are signed, on those of a trace with a tracestate, on postings of transaction
   * events, or on those after the first.
   */
  readonly when: "always" | "signed" | "traced" | "event" | "later-event";
  /** Null: OpenAPI has another place for it than a parameter. */
  readonly parameter: {
    readonly meaning: string;
    readonly schema: { readonly type: "string"; readonly pattern?: string; readonly minLength?: number; readonly maxLength?: number };
    readonly example: string;
  } | null;
}

const id = { type: "string", minLength: 1, maxLength: 35 } as const;

export const deliveryHeaders = {
  "content-type": { when: "always", parameter: null },
  "user-agent": { when: "always", parameter: null },
  "webhook-id": {
    when: "always",
    parameter: {
      meaning: "Names the message, the same at every repeat: its `messageIdentification`, or the event's id.",
      schema: id,
      example: "6f4b2f0e6f0a4d529a571f0f5d0c2b11D",
    },
  },
  "webhook-timestamp": {
    when: "always",
    parameter: {
      meaning: "When this attempt was made, seconds since 1970.",
      schema: { type: "string", pattern: "^[0-9]{1,12}$" },
      example: "1795154401",
    },
  },
  "webhook-signature": {
    when: "signed",
    parameter: {
      meaning:
        "Standard Webhooks: one signature or several with blanks between them, each `v1,` (HMAC-SHA256) or `v1a,` (ed25519) and base64, over `{webhook-id}.{webhook-timestamp}.{body}`. One of them fits a key that you hold. Left out where no key was agreed on.",
      schema: { type: "string", pattern: "^v1a?,[A-Za-z0-9+/]+={0,2}( v1a?,[A-Za-z0-9+/]+={0,2})*$" },
      example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    },
  },
  "idempotency-key": {
    when: "always",
    parameter: { meaning: "Equal to `webhook-id`.", schema: id, example: "6f4b2f0e6f0a4d529a571f0f5d0c2b11D" },
  },
  traceparent: {
    when: "always",
    parameter: {
      meaning: "W3C trace context of the request that began it all.",
      schema: { type: "string", pattern: "^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}" },
      example: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    },
  },
  tracestate: {
    when: "traced",
    parameter: {
      meaning: "What the caller gave with its trace context, as it was. Left out where it gave none.",
      schema: { type: "string", pattern: "^[ -~]{3,512}$" },
      example: "congo=t61rcWkgMzE",
    },
  },
  "sluice-sequence": {
    when: "event",
    parameter: {
      meaning:
        "The posting's place among the events of its UETR: the `stageVersion` of its body, from 1 without a gap. Left out on an `ESM_STATE` event.",
      schema: { type: "string", pattern: "^[1-9][0-9]{0,9}$" },
      example: "4",
    },
  },
  "sluice-previous-id": {
    when: "later-event",
    parameter: {
      meaning:
        "The `webhook-id` of the event before it of the same UETR. Left out on the first, and on an `ESM_STATE` event. A `sluice-previous-id` that you have not stored says that you missed one: ask `GET /transactions/{uetr}/events`.",
      schema: id,
      example: "0d6cba90e6f8b1f7a1b9d0a9d9a7f9f5",
    },
  },
} as const satisfies Readonly<Record<string, DeliveryHeader>>;

type DeliveryHeaderName = keyof typeof deliveryHeaders;

type NamesWhen<When> = {
  [Name in DeliveryHeaderName]: (typeof deliveryHeaders)[Name]["when"] extends When ? Name : never;
}[DeliveryHeaderName];

/** The headers that every attempt has. */
export type AttemptHeaders = Readonly<Record<NamesWhen<"always">, string>>;
/** The headers that an event's posting has besides. */
export type EventHeaders = Readonly<Partial<Record<NamesWhen<"event" | "later-event">, string>>>;
