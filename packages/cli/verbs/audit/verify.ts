// `./sluice audit verify`: reads the audit's topic and names every record that is not as it was written.

import type { AuditReport, KeptSeal } from "@sluice/audit";
import { Fault } from "@sluice/kernel";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";
import { auditKeyFile } from "./audit-key-file.ts";
import { openAuditTopic } from "./open-audit-topic.ts";

const run: RunVerb = async (call) => {
  const { readFile } = await import("node:fs/promises");
  const { createAuditVerifier, readAudit, readAuditEnds, readAuditKeys } = await import("@sluice/audit");
  const { machineTime } = await import("@sluice/kernel");
  const file = call.value("keys") ?? process.env["SLUICE_AUDIT_KEY_FILE"] ?? auditKeyFile;
  const keys = readAuditKeys(await readFile(file, "utf8"));
  const verifier = createAuditVerifier(keys, parseKept(call.value("kept")));
  await using opened = new AsyncDisposableStack();
  const topic = await openAuditTopic(opened);
  const { logStart, logEnd } = await readAuditEnds(topic);
  for await (const { offset, decoded } of readAudit(topic, logStart, logEnd)) {
    if (typeof decoded === "string") verifier.takeStrange(offset, decoded);
    else if (decoded.name === "AuditEntry") verifier.takeEntry(decoded.value, offset);
    else if (decoded.name === "AuditSeal") verifier.takeSeal(decoded.value, offset);
    else verifier.takeStrange(offset, `a ${decoded.name}`);
  }
  const report = verifier.report(machineTime.nowMs());
  process.stdout.write(call.flag("json") ? formatJson(report) : formatReport(report));
  return report.problemCount === 0 ? 0 : 1;
};

export const auditVerifyVerb: Verb = {
  name: "audit verify",
  summary: "verifies the audit: names each record that was changed, is missing, was inserted, moved or cut off",
  arguments: [],
  options: {
    keys: {
      type: "string",
      placeholder: "FILE",
      text: "PEM file with the public keys of the seals (SLUICE_AUDIT_KEY_FILE; else the key that up has made)",
      completes: "files",
    },
    kept: { type: "string", placeholder: "N:SHA256", text: "a seal that was kept elsewhere; it must still be there" },
    json: jsonOption,
  },
  notes: [
    "Reads Kafka itself and asks no service: KAFKA_BROKERS and SCHEMA_REGISTRY_URL with their settings, else what is up.",
    "Exit 0 if nothing is wrong; else 1. Keep the last seal elsewhere: against it a later call sees an end that was cut off.",
  ],
  examples: ["audit verify", "audit verify --keys audit-public.pem --json"],
  run,
};

/** As the verb prints the last seal. */
function parseKept(text: string | null): readonly KeptSeal[] {
  if (text === null) return [];
  const [, number = "", sha256 = ""] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (number === "") throw new Fault("cli.no-seal", `${text} is no seal: its number, a colon and its SHA-256`, { isRetryable: false });
  return [{ sequence: BigInt(number), sha256 }];
}

function formatJson(report: AuditReport): string {
  const members = { schema: "AuditReport", isWhole: report.problemCount === 0, ...report };
  return `${JSON.stringify(members, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value), 2)}\n`;
}

export function formatReport({ entries, chains, seals, unsealed, repeats, last, problemCount, problems }: AuditReport): string {
  const counts = `${entries} entries of ${chains} processes, ${seals} seals, ${unsealed} entries without one yet`;
  const named = problems.map(({ kind, chain, sequence, offset, text }) => {
    const place = offset === null ? "" : ` (offset ${offset})`;
    return `${kind}: ${chain} ${sequence}${place} ${text}`;
  });
  const rest = problemCount > problems.length ? [`and ${problemCount - problems.length} more`] : [];
  const end = problemCount === 0 ? "nothing is wrong" : `${problemCount} problems`;
  const seal = last === null ? [] : [`last seal ${last.sequence}:${last.sha256} of ${new Date(last.sealedAtMs).toISOString()}`];
  const twice = repeats === 0 ? [] : [`${repeats} entries lie there twice, as they were sent twice`];
  return `${[counts, ...twice, ...seal, ...named, ...rest, end].join("\n")}\n`;
}
