// `./sluice send`: posts message files to ingress, as a bank or a connector would, and prints the answers.
//
// #1 A message goes to the usual operation of its schema: debits and reports as a bank sends them, credits as a
//    connector does. Another one is chosen by --operation.

import { readFile } from "node:fs/promises";
import { servedOperations } from "@sluice/contracts/operations";
import { Fault } from "@sluice/kernel";
import { requireUpState } from "./up-state.ts";
import { trustAuthorities } from "../../terminal/control-client.ts";
import { jsonOption, type Verb, type VerbCall } from "../../terminal/verb.ts";

/**
 * The sample bank; infra/local/sluice.yaml has the SHA-256 of its token. It gives access only to a developer's machine.
 */
const sampleBank = { id: "sample", token: "sample-bank-token" } as const;

const operations = servedOperations.filter(({ service }) => service === "ingress");

/** #1 */
const usualOperations: Readonly<Record<string, (typeof operations)[number]["name"]>> = {
  DirectDebit: "outboundDirectDebit",
  PaymentStatusReport: "inboundDirectDebitResponse",
  CreditTransfer: "schemeInboundCreditTransferAuthorization",
  CreditsFinal: "creditsFinal",
};
const answerTimeoutMs = 5_000;
const accepted = 202;

export async function runSend(call: VerbCall, out: (text: string) => void): Promise<number> {
  const token = chooseToken(call.value("as") ?? sampleBank.id);
  const operation = call.value("operation");
  const messages = await Promise.all(call.positionals.map((file) => readMessage(file, operation)));
  const ingressUrl = call.value("ingress")?.replace(/\/+$/, "") ?? (await findUpIngress());
  const sent: { readonly file: string; readonly status: number | null; readonly text: string }[] = [];
  for (const { file, path, bytes } of messages) {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const answer = await post(`${ingressUrl}${path}`, { method: "POST", headers, body: bytes, signal });
    sent.push({ file, ...answer });
    if (!call.flag("json")) out(`${file}: ${answer.status ?? "no answer"} ${answer.text}`.trimEnd());
  }
  const isAccepted = sent.every(({ status }) => status === accepted);
  if (call.flag("json")) out(JSON.stringify({ schema: "Sent", isAccepted, messages: sent }, null, 2));
  return isAccepted ? 0 : 1;
}

export const sendVerb: Verb = {
  name: "send",
  summary: "posts messages (debits, reports, credits, declarations; JSON) to ingress, as a bank or connector",
  arguments: [{ placeholder: "FILE", text: "one message each", completes: "files", count: [1, 1_000] }],
  options: {
    as: { type: "string", placeholder: "BANK", text: `the bank's or connector's id in the configuration (${sampleBank.id})` },
    operation: {
      type: "string",
      placeholder: "NAME",
      text: "the operation, where it is not the usual one of the message's schema",
      choices: operations.map(({ name }) => name),
    },
    ingress: { type: "string", placeholder: "URL", text: "the address of ingress (what is up)" },
    json: jsonOption,
  },
  notes: [
    "The bank's token is read from SLUICE_BANK_TOKEN; the sample bank has one of its own.",
    "Exit 0 if every message was answered 202.",
  ],
  examples: [
    "send infra/local/first-debit.json",
    "send credit.json --as clearing --ingress https://sluice.example",
    "send debit.json --as clearing --operation schemeInboundDirectDebit",
  ],
  run: (call) => runSend(call, (text) => void process.stdout.write(`${text}\n`)),
};

async function findUpIngress(): Promise<string> {
  const { ingressUrl, authorityFile } = await requireUpState(["ingress"]);
  trustAuthorities(authorityFile ?? "");
  return ingressUrl;
}

function chooseToken(bank: string): string {
  const token = process.env["SLUICE_BANK_TOKEN"] ?? "";
  if (token !== "") return token;
  if (bank === sampleBank.id) return sampleBank.token;
  throw new Fault("cli.no-token", `the token of bank ${bank} must be in SLUICE_BANK_TOKEN`, { isRetryable: false });
}

interface MessageFile {
  readonly file: string;
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

async function readMessage(file: string, operation: string | null): Promise<MessageFile> {
  const bytes = new Uint8Array(await readFile(file).catch(() => Promise.reject(unfit(file, "cannot be read"))));
  const schema = readSchemaName(new TextDecoder().decode(bytes));
  return { file, path: choosePath(file, schema, operation), bytes };
}

/** #1 */
function choosePath(file: string, schema: string | null, operation: string | null): string {
  const usual = schema === null ? undefined : usualOperations[schema];
  if (usual === undefined) throw unfit(file, `is no message to send: its schema must be one of ${Object.keys(usualOperations).join(", ")}`);
  const found = operations.find(({ name }) => name === (operation ?? usual));
  if (found?.body !== schema) throw unfit(file, `is a ${schema}, which ${operation} does not take`);
  return found.paths[0];
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
