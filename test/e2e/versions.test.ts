// Two releases of the services on one journal and one store at a time, as in an update and in its rollback. The older
// release is the tag at which the wire was frozen. Transactions go on while scheduler, dispatcher and event-publisher
// of the one release replace those of the other, one by one, in both directions.

import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { rulesVersion } from "@sluice/domain";
import { checkConservation } from "@sluice/store";
import { machineTime, sleep } from "@sluice/kernel";
import { projectRoot } from "@sluice/environment/run-program";
import { reportSettled } from "@sluice/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCases } from "./parties/cases.ts";
import type { E2eCase } from "./parties/flows.ts";
import { decideAndApply } from "./parties/operators.ts";
import { enteredStates, loadTransaction, untilHolds, untilState } from "./recorded/evidence.ts";
import { openE2eEnvironment, type E2eEnvironment } from "./environment/environment.ts";
import { openReleasedTree } from "./environment/released-tree.ts";
import type { ServiceRelease } from "./environment/service-processes.ts";

/** The tag `wire-v1`. Its commit is named, because a clone may lack the tags. */
const olderCommit = "d513aba97623bd746d35227f1fc667a49d907dd9";
const replaced = ["scheduler", "dispatcher", "event-publisher"] as const;
const submitEveryMs = 250;
/** Share of the messages that may come twice: those that were under way when an owner ended. */
const repeatedShareMax = 0.1;
const banks = [
  { id: "karoo", branch: "250655" },
  { id: "protea", branch: "250656" },
];
const opened = new AsyncDisposableStack();
let environment: E2eEnvironment;
let older: ServiceRelease;
const newer: ServiceRelease = { tree: projectRoot, environment: {} };
const { caseFor, submit } = createCases(() => environment, banks);
const submitted: E2eCase[] = [];

beforeAll(async () => {
  const tree = await openReleasedTree(olderCommit);
  const operators = [{ id: "thandi", roles: ["read", "act"] as const }];
  environment = opened.use(await openE2eEnvironment(banks, "bank", { operators }));
  older = { tree, environment: { SLUICE_CONFIG: await writeOlderConfiguration() } };
  for (const { id } of banks) environment.bank(id).addRules([{ reports: [reportSettled()] }]);
});
afterAll(() => opened.disposeAsync());

/** Writes the configuration without the members that the older release does not know. */
async function writeOlderConfiguration(): Promise<string> {
  const file = environment.services.environment["SLUICE_CONFIG"] ?? "";
  const { secondPerson: _, ...known }: Record<string, unknown> = JSON.parse(await readFile(file, "utf8"));
  const path = join(dirname(file), "sluice-older.yaml");
  await writeFile(path, JSON.stringify(known));
  return path;
}

/** Replaces the services one by one. */
async function replaceAll(release: ServiceRelease, onReplaced: (count: number) => Promise<void> = () => Promise.resolve()): Promise<void> {
  for (const [index, name] of replaced.entries()) {
    await environment.services.replace(name, release);
    await onReplaced(index + 1);
  }
}

/** Submits transactions of each flow to each bank until it is stopped. */
function startTraffic(): { readonly stop: () => Promise<void> } {
  const over = new AbortController();
  const work = async (): Promise<void> => {
    for (let n = 0; !over.signal.aborted; n += 1) {
      const message = caseFor((["on-us", "off-us", "credit"] as const)[n % 3]!, `number ${n}`, banks[n % 2]!.id);
      await submit(message);
      submitted.push(message);
      await sleep(machineTime, submitEveryMs);
    }
  };
  const working = work();
  return {
    stop: () => {
      over.abort();
      return working;
    },
  };
}

function endOf({ flow }: E2eCase): string {
  return flow === "credit" ? "CREDIT_AUTH_RESPONSE_ACCEPTED" : "COMPLETED";
}

async function declareCreditsFinal(bank: string): Promise<void> {
  const { businessDate } = environment;
  expect((await environment.bank(bank).declareCreditsFinal({ businessDate })).status).toBe(202);
}

/** Lists which versions of the rules decided the transactions, as `oldest-newest`. */
async function listRules(): Promise<ReadonlySet<string>> {
  const documents = await environment.store.transactions.load(submitted.map(({ uetr }) => uetr));
  return new Set([...documents.values()].map(({ rules: { oldest, newest } }) => `${oldest}-${newest}`));
}

test("an older release refuses a configuration file with a member that it does not know [D11.12]", async () => {
  const { tree } = older;
  await expect(environment.services.replace("scheduler", { tree, environment: {} })).rejects.toThrow("secondPerson");
});

test("I1 to I12: two releases share journal and store while one replaces the other, and back [D11.10] [D11.11]", async () => {
  await Promise.all(replaced.map((name) => environment.services.replace(name, older)));
  // A request of an operator, written by today's console with a schema that the older scheduler does not have.
  const withdrawn = caseFor("on-us", "withdrawn");
  await submit(withdrawn);
  await untilState(environment, withdrawn.uetr, "HELD");
  const withdrawal = {
    path: `/transactions/${withdrawn.uetr}/withdrawal`,
    id: "withdraw-1",
    body: { reason: "Sent with the wrong file." },
  };
  await decideAndApply(environment, "thandi", withdrawal);

  const traffic = startTraffic();
  await untilHolds(() => expect(submitted.length).toBeGreaterThan(20));
  // The update: the gates open while it is half done.
  await replaceAll(newer, async (count) => {
    const bank = banks[count - 1];
    if (bank !== undefined) await declareCreditsFinal(bank.id);
  });
  const afterUpdate = await listRules();
  // Its rollback.
  await replaceAll(older);
  await traffic.stop();

  for (const message of submitted) {
    await untilHolds(async () => expect(enteredStates(await loadTransaction(environment, message.uetr)).at(-1)).toBe(endOf(message)));
  }
  // Both releases decided, and some transactions were decided by both.
  expect(afterUpdate).toEqual(new Set(["1-1", `1-${rulesVersion}`, `${rulesVersion}-${rulesVersion}`]));
  expect(await listRules()).toContain("1-1");
  expect((await environment.check({ hasOlderRelease: true })).violations).toEqual([]);
  const day = `ZA_EFT:${environment.businessDate}`;
  await untilHolds(async () => expect((await checkConservation(environment.store, day)).isWhole).toBe(true));
  expect(environment.services.lost()).toEqual([]);
  const received = environment.recorded.requests.flatMap(({ entry }) => (entry.kind === "received" ? [entry] : []));
  const copies = [...Map.groupBy(received, ({ bank, webhookId }) => `${bank} ${webhookId}`).values()].map(({ length }) => length);
  expect(copies.filter((count) => count > 1).length).toBeLessThan(copies.length * repeatedShareMax);
});
