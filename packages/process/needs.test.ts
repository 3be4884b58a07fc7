import { machineRandom, machineTime, silentLogger, silentMetrics } from "@sluice/kernel";
import { sampleConfiguration } from "@sluice/testkit";
import { expect, test } from "vitest";
import { derivedNeed, type Need, needVariables, openNeeds } from "./needs.ts";

function open(broken: string | null) {
  const calls: string[] = [];
  const need = (name: string): Need<string, never> =>
    derivedNeed(async ({ opened }) => {
      calls.push(`open ${name}`);
      await Promise.resolve();
      if (name === broken) throw new Error(`no ${name}`);
      opened.defer(() => void calls.push(`close ${name}`));
      return name;
    });
  const context = {
    name: "x",
    configuration: sampleConfiguration(),
    time: machineTime,
    random: machineRandom,
    logger: silentLogger,
    metrics: silentMetrics,
  };

  async function run(): Promise<unknown> {
    await using opened = new AsyncDisposableStack();
    const needs = { registry: need("registry"), store: need("store"), broker: need("broker") };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these needs read no variable
    const environment = {} as Parameters<typeof openNeeds>[1]["environment"];
    return await openNeeds(needs, { ...context, environment, stopping: new AbortController().signal, opened });
  }
  return { calls, run };
}

test("needs are opened in the order of the table and closed in reverse order", async () => {
  const { calls, run } = open(null);
  expect(await run()).toEqual({ registry: "registry", store: "store", broker: "broker" });
  expect(calls).toEqual(["open registry", "open store", "open broker", "close broker", "close store", "close registry"]);
});

test("where a need cannot be opened, those before it are closed and none after it is opened", async () => {
  const { calls, run } = open("store");
  await expect(run()).rejects.toThrow("no store");
  expect(calls).toEqual(["open registry", "open store", "close registry"]);
});

test("the variables of a table are those of its needs, each once", () => {
  const needs = {
    one: { variables: ["KAFKA_BROKERS", "MONGO_URL"], open: () => 1 },
    two: { variables: ["MONGO_URL"], open: () => 2 },
  } as const;
  expect(needVariables(needs)).toEqual(["KAFKA_BROKERS", "MONGO_URL"]);
});
