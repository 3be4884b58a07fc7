import { generateKeyPairSync } from "node:crypto";
import { createAuditVerifier, readAudit, readAuditEnds, readAuditKeys } from "@sluice/audit";
import { createFixedSerde } from "@sluice/contracts";
import { expect, test } from "vitest";
import { consoleUetr, openConsoleEnvironment } from "./console.fixture.ts";

const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
const keys = readAuditKeys(pem);

test("what operators ask and decide is in the audit, which the console seals and a verifier finds whole [D10.60] [D10.61]", async () => {
  const environment = await openConsoleEnvironment({}, { auditKeys: () => keys });
  await environment.control(`/transactions/${consoleUetr}`);
  await environment.control("/banks/first/pause", { body: { reason: "canary reason" }, actionId: "p-1" });
  await environment.control("/status", { operator: null });
  await environment.time.advance(130_000);
  const reading = { messaging: environment.messaging, serde: createFixedSerde(), partitionCount: 3 };
  const verifier = createAuditVerifier(keys);
  const kinds: string[] = [];
  const contents: string[] = [];
  await environment.settled(
    (async () => {
      const { logStart, logEnd } = await readAuditEnds(reading);
      for await (const { offset, decoded } of readAudit(reading, logStart, logEnd)) {
        if (typeof decoded === "string") throw new Error(decoded);
        if (decoded.name === "AuditSeal") verifier.takeSeal(decoded.value, offset);
        if (decoded.name !== "AuditEntry") continue;
        verifier.takeEntry(decoded.value, offset);
        kinds.push(decoded.value.kind);
        contents.push(decoded.value.content);
      }
    })(),
  );
  expect(kinds).toEqual(["started", "read", "sign-in", "decision", "answered", "refused"]);
  expect(contents.join()).not.toContain("canary");
  expect(verifier.report(environment.time.nowMs())).toMatchObject({ entries: 6, unsealed: 0, seals: 3, problems: [] });
});
