// `./sluice request`: the body that every attempt of one message sends, masked, with the digest of its bytes.

import { asControlVerb, controlClient, controlOptions, type RunControlVerb } from "../../terminal/control-client.ts";
import { maskControlCharacters, memberText } from "../../terminal/control-table.ts";
import { uetrArgument, type Verb } from "../../terminal/verb.ts";

export const runTxRequest: RunControlVerb = async (call, where) => {
  const [uetr = ""] = call.positionals;
  const client = await controlClient(call, where);
  const query = { of: call.value("of"), offset: call.value("offset") };
  const sent = await client.get(`/transactions/${encodeURIComponent(uetr)}/request`, query);
  if (call.flag("json")) {
    where.out(JSON.stringify(sent, null, 2));
    return 0;
  }
  const [id, receiver, operation, bytes, sha256] = ["id", "receiver", "operation", "bytes", "sha256"].map((name) => memberText(sent, name));
  where.out(maskControlCharacters(`${id} to ${receiver}: ${operation}, ${bytes} bytes, sha256 ${sha256}`));
  const body = sent["body"];
  where.out(
    typeof body === "string" ? body.split("\n").map(maskControlCharacters).join("\n") : "it is no JSON text, so nothing of it is shown",
  );
  return 0;
};

export const txRequestVerb: Verb = {
  name: "request",
  summary: "what every attempt of one message of a transaction sends, masked, with the digest of its bytes",
  arguments: [uetrArgument],
  options: {
    of: { type: "string", placeholder: "TOPIC", text: "dispatch (a delivery; the default) or events (a posting)" },
    offset: { type: "string", placeholder: "N", text: "its place: dispatchOffset of a message, offset of an event, in tx --json" },
    ...controlOptions,
  },
  notes: ["Persons and accounts are masked. Signature and token of an attempt are kept nowhere."],
  examples: ["request 0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60 --offset 12"],
  run: asControlVerb(runTxRequest),
};
