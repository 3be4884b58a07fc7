import { createHash } from "node:crypto";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfigurationFile } from "@sluice/config";
import { type Logger, machineTime, silentLogger } from "@sluice/kernel";
import { createMetrics } from "@sluice/service";
import { expect, test, vi } from "vitest";
import { watchOperators } from "./watch-operators.ts";

const sha = (token: string): string => createHash("sha256").update(token).digest("hex");

function fileText(operators: string, baseUrl = "https://first.example"): string {
  const bank = `{ id: first, name: First, agents: [{ memberId: "250655" }], tokenSha256: ["${sha("bank")}"], baseUrl: "${baseUrl}" }`;
  return `banks: [${bank}]\noperators: [${operators}]`;
}

const operatorText = (id: string, roles: string, token: string): string =>
  `{ id: ${id}, name: N, tokenSha256: ["${sha(token)}"], roles: [${roles}] }`;

test("a new operator, a role and a token leave a trace: one log line and one count each, and never the token", async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "sluice-operators-"));
  stack.defer(() => rm(folder, { recursive: true }));
  const path = join(folder, "sluice.yaml");
  const write = async (text: string): Promise<void> => {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  };
  await write(fileText(operatorText("thandi", "read", "one")));
  const said: { readonly event: string; readonly fields: unknown }[] = [];
  const note = (event: string, fields?: unknown): void => void said.push({ event, fields });
  const logger: Logger = { ...silentLogger, info: note, warn: note, error: note };
  const metrics = createMetrics({ withProcess: false });
  const replaced: string[][] = [];
  const desk = {
    replaceCallers: () => {},
    replaceOperators: (all: readonly { id: string }[]) => void replaced.push(all.map(({ id }) => id)),
  };
  const running = readConfigurationFile(path, {});
  const watch = watchOperators(desk, { time: machineTime, path, environment: {}, running, pollMs: 5, logger, metrics });
  stack.defer(() => watch.stop());
  const heard = (count: number) => vi.waitFor(() => expect(said).toHaveLength(count));

  expect(said).toMatchObject([{ event: "operator.in-force", fields: { operator: "thandi", roles: "read" } }]);
  expect(await metrics.text()).toContain('sluice_console_operator_changes_total{change="added"} 0');
  await write(fileText(`${operatorText("thandi", "read, approve", "two")}, ${operatorText("zola", "act", "three")}`));
  await heard(5);
  expect(said.slice(1)).toMatchObject([
    { event: "operator.changed", fields: { change: "roles", operator: "thandi", roles: "read approve" } },
    { event: "operator.changed", fields: { change: "token-added", operator: "thandi", tokens: sha("two").slice(0, 12) } },
    { event: "operator.changed", fields: { change: "token-removed", operator: "thandi", tokens: sha("one").slice(0, 12) } },
    { event: "operator.changed", fields: { change: "added", operator: "zola", roles: "act", person: "zola" } },
  ]);
  const text = await metrics.text();
  for (const change of ["roles", "token-added", "token-removed", "added"]) expect(text).toContain(`{change="${change}"} 1`);
  // The rest of the file is wrong, and still the operator goes.
  await write(fileText(operatorText("thandi", "read, approve", "two"), "nowhere"));
  await heard(7);
  expect(said.at(-2)).toMatchObject({ event: "operator.changed", fields: { change: "token-removed", operator: "zola" } });
  expect(await metrics.text()).toContain("sluice_configuration_broken 1");
  expect(replaced.at(-1)).toEqual(["thandi", "zola"]);
  for (const secret of ["one", "two", "three"].map(sha)) expect(JSON.stringify(said)).not.toContain(secret);
});
