// `./sluice conformance`: plays Sluice against a bank's own endpoints, and prints what the bank does wrong.

import { readFileSync } from "node:fs";
import { Fault, machineTime } from "@sluice/kernel";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";
import type { PostAnswer } from "./conformance-cases.ts";

const answerTimeoutMs = 5_000;

const run: RunVerb = async (call) => {
  const [given = ""] = call.positionals;
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Fault("cli.no-address", `${given} is no address of a bank (https://host:port)`, { isRetryable: false });
  }
  const { runCases } = await import("./conformance-cases.ts");
  const token = readSecret(call.value("token-file"));
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const base = url.href.replace(/\/+$/, "");
  const results = await runCases({
    nowMs: () => machineTime.nowMs(),
    secret: readSecret(call.value("secret-file")),
    post: (path, headers, body) => post(`${base}${path}`, { ...headers, ...authorization }, body),
  });
  const isGood = results.every(({ wrong }) => wrong === null);
  const lines = results.map(
    ({ name, wrong, tookMs }) => `${wrong === null ? "✓" : "✗"} ${name}${wrong === null ? ` (${tookMs} ms)` : `\n    ${wrong}`}`,
  );
  const left = call.value("secret-file") === null ? ["signatures were not tried: --secret-file names the file with the shared secret"] : [];
  const end = isGood ? "The bank does what docs/receiving.md asks." : "docs/receiving.md says what a bank has to do.";
  process.stdout.write(
    `${call.flag("json") ? JSON.stringify({ schema: "Conformance", isGood, cases: results }, null, 2) : [...lines, ...left, end].join("\n")}\n`,
  );
  return isGood ? 0 : 1;
};

export const conformanceVerb: Verb = {
  name: "conformance",
  summary: "plays Sluice against a bank's own endpoints: repeats, gaps, 64 at once, bad signatures; prints what is wrong",
  arguments: [{ placeholder: "URL", text: "the bank's base address, as the configuration would name it" }],
  options: {
    "secret-file": { type: "string", placeholder: "FILE", text: "file with the shared secret of signatures, whsec_…", completes: "files" },
    "token-file": { type: "string", placeholder: "FILE", text: "file with the bearer token that the bank expects", completes: "files" },
    json: jsonOption,
  },
  notes: ["It posts sample debits and events. Use an address of a test system.", "Exit 0 if the bank did nothing wrong, else 1."],
  examples: ["conformance http://127.0.0.1:9100 --secret-file bank.secret"],
  run,
};

/** Null: no file is named. */
function readSecret(file: string | null): string | null {
  if (file === null) return null;
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    throw new Fault("cli.unfit-file", `${file} cannot be read`, { isRetryable: false });
  }
}

async function post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<PostAnswer> {
  const startedMs = machineTime.monotonicMs();
  const took = (): number => Math.round(machineTime.monotonicMs() - startedMs);
  try {
    const answer = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal: AbortSignal.timeout(answerTimeoutMs) });
    await answer.arrayBuffer();
    return { status: answer.status, tookMs: took() };
  } catch {
    return { status: null, tookMs: took() };
  }
}
