// `./sluice token make`: makes a bearer token for a bank, a connector or an operator.
//
// #1 The token is 256 random bits. It is printed once, and Sluice keeps its SHA-256 alone.
// #2 It has an end, because a token that nobody takes away would count for ever.
// #3 Its prefix lets scanners of repositories and logs find a token that got where it must not be.

import { hash } from "node:crypto";
import { type Random, tokenId } from "@sluice/kernel";
import { exitUsage } from "../../terminal/exit-codes.ts";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";
import { readWhole } from "../trials/whole-number.ts";

const tokenPrefix = "sluice_";
const tokenBytes = 32;
const dayMs = 86_400_000;
const daysDefault = 365;
const daysMax = 3_650;
const idForm = /^[a-z0-9-]{1,32}$/;

interface MadeToken {
  readonly token: string;
  /** How logs and the audit name the token. */
  readonly id: string;
  readonly sha256: string;
  /** When it ends: an instant, to the second. */
  readonly notAfter: string;
}

interface Wanted {
  /** Null: the beginning of the hash. */
  readonly id: string | null;
  readonly days: number;
  readonly nowMs: number;
}

export function makeToken(random: Random, { id, days, nowMs }: Wanted): MadeToken {
  const token = `${tokenPrefix}${random.hex(tokenBytes)}`;
  const sha256 = hash("sha256", token);
  const end = Temporal.Instant.fromEpochMilliseconds(nowMs + days * dayMs);
  return { token, id: id ?? tokenId(sha256), sha256, notAfter: end.toString({ smallestUnit: "second" }) };
}

const run: RunVerb = async (call) => {
  const { machineRandom, machineTime } = await import("@sluice/kernel");
  const id = call.value("id");
  const days = readWhole(call.value("days") ?? String(daysDefault), 1, daysMax);
  if (days === null || (id !== null && !idForm.test(id))) {
    process.stderr.write(`sluice: token make: --days is from 1 to ${daysMax}, --id has 1 to 32 of a-z, 0-9 and -\n`);
    return exitUsage;
  }
  const made = makeToken(machineRandom, { id, days, nowMs: machineTime.nowMs() });
  process.stdout.write(call.flag("json") ? `${JSON.stringify({ schema: "Token", ...made }, null, 2)}\n` : formatToken(made));
  return 0;
};

export const tokenMakeVerb: Verb = {
  name: "token make",
  summary: "makes a bearer token, and prints it once with its id, its end and its hash for the configuration file",
  arguments: [],
  options: {
    id: { type: "string", placeholder: "ID", text: "how logs and the audit name the token (the beginning of its hash)" },
    days: { type: "string", placeholder: "DAYS", text: `how long it counts, 1 to ${daysMax} (${daysDefault})` },
    json: jsonOption,
  },
  notes: [
    "Give the token to its caller by a way that nobody else can read. Sluice never needs it.",
    "A holder may have several tokens: add the new entry to `tokens`, let the caller change over, and take the old one away.",
  ],
  examples: ["token make", "token make --id first-2027 --days 180", "token make --json"],
  run,
};

export function formatToken({ token, id, sha256, notAfter }: MadeToken): string {
  return [
    `token       ${token}`,
    `id in logs  ${id}`,
    `ends        ${notAfter}`,
    `for tokens  - { id: ${id}, sha256: "${sha256}", notAfter: "${notAfter}" }`,
    "",
  ].join("\n");
}
