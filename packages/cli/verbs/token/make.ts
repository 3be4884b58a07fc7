// `./sluice token make`: makes a bearer token for a bank, a connector or an operator.
//
// #1 The token is 256 random bits. It is printed once, and Sluice keeps its SHA-256 alone.
// #2 Its prefix lets scanners of repositories and logs find a token that got where it must not be.

import { hash } from "node:crypto";
import { type Random, tokenId } from "@sluice/kernel";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";

const tokenPrefix = "sluice_";
const tokenBytes = 32;

interface MadeToken {
  readonly token: string;
  /** For `tokenSha256` in the configuration file. */
  readonly sha256: string;
  /** How logs and the audit name the token. */
  readonly id: string;
}

export function makeToken(random: Random): MadeToken {
  const token = `${tokenPrefix}${random.hex(tokenBytes)}`;
  const sha256 = hash("sha256", token);
  return { token, sha256, id: tokenId(sha256) };
}

const run: RunVerb = async (call) => {
  const { machineRandom } = await import("@sluice/kernel");
  const made = makeToken(machineRandom);
  process.stdout.write(call.flag("json") ? `${JSON.stringify({ schema: "Token", ...made }, null, 2)}\n` : formatToken(made));
  return 0;
};

export const tokenMakeVerb: Verb = {
  name: "token make",
  summary: "makes a bearer token, and prints it once with its hash for the configuration file",
  arguments: [],
  options: { json: jsonOption },
  notes: [
    "Give the token to its caller by a way that nobody else can read. Sluice never needs it.",
    "A holder may have ten tokens: add the new hash, let the caller change over, and take the old hash away.",
  ],
  examples: ["token make", "token make --json"],
  run,
};

export function formatToken({ token, sha256, id }: MadeToken): string {
  return [`token        ${token}`, `tokenSha256  ${sha256}`, `id in logs   ${id}`, ""].join("\n");
}
