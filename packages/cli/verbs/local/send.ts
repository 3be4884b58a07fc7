// `./sluice send`: posts message files to the ingress that is up, as a bank would, and prints the answers.

import { readFile } from "node:fs/promises";
import { Fault } from "@sluice/kernel";
import { requireUpState } from "./up-state.ts";
import type { RunVerb, Verb } from "../../terminal/verb.ts";

/**
 * The sample bank; infra/local/sluice.yaml has the SHA-256 of its token. It gives access only to a developer's machine.
 */
const sampleBank = { id: "sample", token: "sample-bank-token" } as const;

const paths: Readonly<Record<string, string>> = {
  DirectDebit: "/transactions/outbound/direct-debit",
  PaymentStatusReport: "/transactions/inbound/direct-debit-response",
};
const answerTimeoutMs = 5_000;
const accepted = 202;

const run: RunVerb = async (call) => {
  const token = chooseToken(call.value("as") ?? sampleBank.id);
  const messages = await Promise.all(call.positionals.map(readMessage));
  const { ingressUrl } = await requireUpState(["ingress"]);
  let failures = 0;
  for (const { file, path, bytes } of messages) {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const answer = await post(`${ingressUrl}${path}`, { method: "POST", headers, body: bytes, signal });
    if (answer.status !== accepted) failures += 1;
    process.stdout.write(`${`${file}: ${answer.status ?? "no answer"} ${answer.text}`.trimEnd()}\n`);
  }
  return failures === 0 ? 0 : 1;
};

export const sendVerb: Verb = {
  name: "send",
  summary: "posts messages (DirectDebit or PaymentStatusReport, JSON) to what is up, as a bank",
  arguments: [{ placeholder: "FILE", text: "one message each", completes: "files", count: [1, 1_000] }],
  options: { as: { type: "string", placeholder: "BANK", text: `the bank's id in the configuration (${sampleBank.id})` } },
  notes: [
    "The bank's token is read from SLUICE_BANK_TOKEN; the sample bank has one of its own.",
    "Exit 0 if every message was answered 202.",
  ],
  examples: ["send infra/local/first-debit.json"],
  run,
};

function chooseToken(bank: string): string {
  const token = process.env["SLUICE_BANK_TOKEN"] ?? "";
  if (token !== "") return token;
  if (bank === sampleBank.id) return sampleBank.token;
  throw new Fault("cli.no-token", `the token of bank ${bank} must be in SLUICE_BANK_TOKEN`, { isRetryable: false });
}

async function readMessage(
  file: string,
): Promise<{ readonly file: string; readonly path: string; readonly bytes: Uint8Array<ArrayBuffer> }> {
  const bytes = new Uint8Array(await readFile(file).catch(() => Promise.reject(unfit(file, "cannot be read"))));
  const schema = readSchemaName(new TextDecoder().decode(bytes));
  const path = schema === null ? undefined : paths[schema];
  if (path === undefined) throw unfit(file, `is no message to send: its schema must be one of ${Object.keys(paths).join(", ")}`);
  return { file, path, bytes };
}

function readSchemaName(text: string): string | null {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === "object" && message !== null && "schema" in message ? String(message.schema) : null;
  } catch {
    return null;
  }
}

function unfit(file: string, what: string): Fault {
  return new Fault("cli.unfit-file", `${file} ${what}`, { isRetryable: false });
}

async function post(url: string, request: RequestInit): Promise<{ readonly status: number | null; readonly text: string }> {
  try {
    const answer = await fetch(url, request);
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    return { status: null, text: error instanceof Error ? error.message : "" };
  }
}
