import { createHash } from "node:crypto";
import { type Logger, silentLogger } from "@sluice/kernel";
import { createMetrics } from "@sluice/service";
import { sampleConfiguration, sampleHeldToken } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createOperatorTrail } from "./operator-trail.ts";

const sha = (token: string): string => createHash("sha256").update(token).digest("hex");

test("a new operator, a role and a token leave a trace: one log line and one count each, and never the token [D9 operators]", async () => {
  const said: { readonly event: string; readonly fields: unknown }[] = [];
  const note = (event: string, fields?: unknown): void => void said.push({ event, fields });
  const logger: Logger = { ...silentLogger, info: note, warn: note, error: note };
  const metrics = createMetrics({ withProcess: false });
  const [sample] = sampleConfiguration().operators;
  const operator = (id: string, roles: (typeof sample & {})["roles"], token: string) => ({
    ...sample!,
    id,
    person: id,
    roles,
    tokens: [sampleHeldToken(token)],
  });
  const trail = createOperatorTrail([operator("thandi", ["read"], "one")], { logger, metrics });
  expect(said).toMatchObject([{ event: "operator.in-force", fields: { operator: "thandi", roles: "read", bank: "all" } }]);
  expect(await metrics.text()).toContain('sluice_console_operator_changes_total{change="added"} 0');
  trail.replaced([operator("thandi", ["read", "approve"], "two"), operator("zola", ["act"], "three")]);
  expect(said.slice(1)).toMatchObject([
    { event: "operator.changed", fields: { change: "roles", operator: "thandi", roles: "read approve" } },
    { event: "operator.changed", fields: { change: "token-added", operator: "thandi", tokens: sha("two").slice(0, 12) } },
    { event: "operator.changed", fields: { change: "token-removed", operator: "thandi", tokens: sha("one").slice(0, 12) } },
    { event: "operator.changed", fields: { change: "added", operator: "zola", roles: "act", person: "zola" } },
  ]);
  trail.replaced([{ ...operator("thandi", ["read", "approve"], "two"), bank: "first" }, operator("zola", ["act"], "three")]);
  expect(said.at(-1)).toMatchObject({ fields: { change: "bank", operator: "thandi", bank: "first" } });
  const text = await metrics.text();
  for (const change of ["roles", "token-added", "token-removed", "added"]) expect(text).toContain(`{change="${change}"} 1`);
  for (const secret of ["one", "two", "three"].map(sha)) expect(JSON.stringify(said)).not.toContain(secret);
});
