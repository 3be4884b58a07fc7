// showSentRequest: the body that every attempt of one delivery or posting sends, masked, with the digest of its bytes.
//
// #1 Shown is only a record of the transaction that was asked for: a place of another one is not known here.
// #2 What an attempt adds when it is sent, such as signature, token and time, is kept nowhere.

import { hash } from "node:crypto";
import { partitionFor, topics, type AnyDecodedRecord, type Serde } from "@sluice/contracts";
import type { Messaging } from "@sluice/messaging";
import { readAround } from "@sluice/timeline";
import { refuseWith } from "../decisions/decision.ts";
import type { ControlHandler } from "../http/control-handler.ts";
import { decodeReadable } from "../own-transactions/decode-readable.ts";
import { invalidRequest } from "../views/control-values.ts";
import { maskBody } from "../views/mask-body.ts";

interface RequestPorts {
  readonly messaging: Pick<Messaging, "ends" | "read">;
  readonly serde: Serde;
  readonly partitionCount: number;
}

const sentTopics: ReadonlyMap<string, string> = new Map([
  ["dispatch", topics.dispatch],
  ["events", topics.events],
]);

export function showSentRequest({ messaging, serde, partitionCount }: RequestPorts): ControlHandler {
  return async ({ path: { uetr = "" }, query }) => {
    const of = query.get("of") ?? "dispatch";
    const [topic, given] = [sentTopics.get(of), query.get("offset") ?? ""];
    if (topic === undefined) return invalidRequest("of: dispatch or events.");
    if (!/^\d{1,18}$/.test(given)) return invalidRequest("offset: the place of the message, a whole number.");
    const place = { topic, partition: partitionFor(uetr, partitionCount) };
    const offset = BigInt(given);
    const [ends] = await messaging.ends([place]);
    if (ends === undefined || offset < ends.logStart || offset >= ends.logEnd) return notThere;
    for await (const record of readAround(messaging, place, { from: offset, to: offset + 1n })) {
      const sent = toSent(await decodeReadable(record, serde));
      if (sent === null || sent.uetr !== uetr) return notThere;
      const { body, ...about } = sent;
      const text = maskBody(body);
      return {
        kind: "found",
        body: { schema: "SentRequest", ...about, of, offset, bytes: body.byteLength, sha256: hash("sha256", body), body: text },
      };
    }
    return notThere;
  };
}

const notThere = refuseWith(
  404,
  "Not known",
  "There is no message of this transaction at this place: the log does not keep it any more, it cannot be read, or it is another's.",
);

/** #1 */
function toSent(decoded: AnyDecodedRecord | null) {
  if (decoded?.name === "Dispatch") {
    const { uetr, messageIdentification, operation, bank: receiver, body } = decoded.value;
    return { uetr, id: messageIdentification, operation, receiver, body };
  }
  if (decoded?.name !== "TransactionStateEvent" && decoded?.name !== "EsmStateEvent") return null;
  const { uetr, id, bank: receiver, body } = decoded.value;
  return { uetr, id, operation: "events", receiver, body };
}
