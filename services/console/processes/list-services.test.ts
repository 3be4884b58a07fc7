import { brokerTopicsOf, topics } from "@sluice/contracts";
import { controlAnswers } from "@sluice/contracts/control-answers";
import { expect, test } from "vitest";
import { consoleStartAtMs, openConsoleEnvironment } from "../console.fixture.ts";
import { sampleOperator } from "@sluice/testkit";
import { openReader } from "../web/browser.fixture.ts";
import { answerAs, silentProcess, type DescribedProcess } from "./processes.fixture.ts";

async function openWith(processes: readonly (DescribedProcess | string)[] | null, operators = [sampleOperator()]) {
  const asked = await Promise.all(
    (processes ?? []).map(async (one, index) => {
      const address = `http://10.0.0.${index + 1}:9464`;
      return typeof one === "string" ? silentProcess(address, one) : await answerAs(one, address);
    }),
  );
  let calls = 0;
  const askProcesses =
    processes === null
      ? null
      : () => {
          calls += 1;
          return Promise.resolve(asked);
        };
  const environment = await openConsoleEnvironment({ operators }, { askProcesses });
  const list = async () => controlAnswers.listServices.parse(await (await environment.control("/services")).json());
  return { ...environment, list, calls: () => calls };
}

const others = ["ingress", "dispatcher", "event-publisher", "console"].map((service): DescribedProcess => ({ service }));

test("each process is listed with release, configuration, clock, readiness, since when, and its partitions with their lag", async () => {
  const environment = await openWith([
    { service: "scheduler", owned: { 0: 0, 2: 0 }, readiness: { isReady: false, reasons: ["store: no answer"] } },
    { service: "scheduler", owned: { 1: 0 } },
    ...others,
  ]);
  await environment.appendToJournal();
  const { rows, services, asOf } = await environment.list();
  expect(asOf).not.toBeNull();
  const [first, second] = rows.filter(({ service }) => service === "scheduler");
  expect(first).toMatchObject({
    address: "http://10.0.0.1:9464",
    failure: null,
    isReady: false,
    reasons: ["store: no answer"],
    since: "2026-11-20T06:00:00.000Z",
    release: "1.4.0",
    node: "v26.0.0",
    configuration: { version: "7", hash: "aaaa", since: "2026-11-20T06:00:00.000Z" },
    isConfigurationRefused: false,
    skewMs: -12,
  });
  expect(first?.partitions.map(({ partition, position }) => [partition, position])).toEqual([
    [0, "0"],
    [2, "0"],
  ]);
  expect([first, second].reduce((sum, row) => sum + Number(row?.lag), 0)).toBe(1);
  expect(services.find(({ service }) => service === "scheduler")).toMatchObject({
    processes: 2,
    ready: 1,
    partitions: 3,
    notOwned: 0,
    lag: "1",
  });
});

test("within how long the log acknowledged 99 of 100 batches of a process is said, of all its producers", async () => {
  const slow = [...Array.from({ length: 197 }, () => 0.0001), 1_000, 1_000, 1_000];
  const { list, ...environment } = await openWith([
    { service: "scheduler", appendSeconds: Array.from({ length: 200 }, () => 0.0001) },
    { service: "ingress", appendSeconds: slow },
    { service: "validator" },
  ]);
  const { rows } = await list();
  const appendsOf = (service: string) => rows.find((row) => row.service === service)?.appends;
  expect(appendsOf("scheduler")).toMatchObject({ batches: 200, p99Ms: expect.any(Number) });
  expect(appendsOf("scheduler")?.p99Ms).toBeLessThan(50);
  expect(appendsOf("ingress")).toEqual({ batches: 200, p99Ms: null });
  expect(appendsOf("validator")).toBeNull();
  const reader = openReader(environment);
  await reader.signIn();
  const { text } = await reader.ask("/system");
  expect(text).toContain("Appends to the log");
  expect(text).toContain("longer than what is measured");
});

test("what a person has to look at is said: services without a process, partitions without an owner, different files", async () => {
  const { list } = await openWith([
    { service: "validator", owned: { 0: 1 } },
    ...others,
    { service: "ingress", hash: "bbbb", release: "1.5.0" },
    "ECONNREFUSED",
  ]);
  const { differences, rows } = await list();
  expect(differences).toEqual([
    "No process of scheduler answers.",
    "No process of validator owns 2 of its partitions.",
    "No process of dispatcher owns 3 of its partitions.",
    "No process of event-publisher owns 3 of its partitions.",
    "The processes run with different configurations: aaaa, bbbb.",
    "The processes run different releases: 1.4.0, 1.5.0.",
  ]);
  expect(rows.at(-1)).toMatchObject({ service: null, failure: "ECONNREFUSED", isReady: false, configuration: null, lag: null });
});

test("an answer that is not that of a service is a process that does not answer", async () => {
  const askProcesses = () => Promise.resolve([{ address: "http://x:1", readiness: "<html>", metrics: "no metrics", failure: null }]);
  const { control } = await openConsoleEnvironment({}, { askProcesses });
  const { rows } = controlAnswers.listServices.parse(await (await control("/services")).json());
  expect(rows).toMatchObject([{ service: null, isReady: false, failure: "what it answers is not the answer of a service" }]);
});

test("#1 the processes are asked at most once a second, however many people ask", async () => {
  const { list, calls, time } = await openWith(others);
  await list();
  await list();
  expect(calls()).toBe(1);
  await time.advance(1_100);
  await list();
  expect(calls()).toBe(2);
});

test("#2 how far services are is known also where nobody said where their processes are", async () => {
  const { list, schedulerReaches, appendToJournal } = await openWith(null);
  await schedulerReaches(0n);
  await appendToJournal();
  const { areProcessesKnown, services, differences, rows } = await list();
  expect([areProcessesKnown, differences, rows]).toEqual([false, [], []]);
  expect(services.find(({ service }) => service === "scheduler")).toMatchObject({ partitions: 3, notOwned: null, lag: "1" });
  expect(services.find(({ service }) => service === "ingress")).toMatchObject({ partitions: null, notOwned: null, lag: null });
});

test("the topics that the console may ask for are listed with what each keeps", async () => {
  const { list, appendToJournal } = await openWith(null);
  await appendToJournal();
  const listed = new Map((await list()).topics.map(({ topic, ...of }) => [topic, of]));
  expect([...listed.keys()]).toEqual(brokerTopicsOf("console").all);
  expect(listed.get(topics.journal)).toEqual({ partitions: 3, records: "1", largest: "1" });
  expect(listed.get(topics.events)).toEqual({ partitions: 3, records: "0", largest: "0" });
});

test("client certificates are listed by when they end, the first that any process shows, and the page says which end soon", async () => {
  const seconds = consoleStartAtMs / 1_000;
  const environment = await openWith([
    { service: "dispatcher", owned: {}, certificates: { first: seconds + 86_400, second: seconds + 100 * 86_400 } },
    { service: "event-publisher", owned: {}, certificates: { first: seconds + 3_600 } },
  ]);
  expect((await environment.list()).certificates).toEqual([
    { receiver: "first", endsAt: new Date(consoleStartAtMs + 3_600_000).toISOString() },
    { receiver: "second", endsAt: new Date(consoleStartAtMs + 100 * 86_400_000).toISOString() },
  ]);
  const reader = openReader(environment);
  await reader.signIn();
  const { text } = await reader.ask("/services");
  expect([text.includes("ends within 30 days"), text.includes("valid")]).toEqual([true, true]);
});

test("rules are listed with the dates of their data; processes that differ are named, and System counts replicas", async () => {
  const environment = await openWith([
    { service: "scheduler", decisionRules: 3 },
    { service: "validator", accountRules: ["2026-01", "2026-07"] },
    { service: "validator", accountRules: ["2026-01"] },
  ]);
  const { rows, differences } = await environment.list();
  expect(rows.map(({ rules }) => rules.map(({ rule, version }) => `${rule} ${version}`))).toEqual([
    ["decisions 3"],
    ["za-cdv 2026-01", "za-cdv 2026-07"],
    ["za-cdv 2026-01"],
  ]);
  expect(rows[1]?.rules[0]).toMatchObject({ from: "0001-01-01", to: null });
  expect(differences).toContain("The processes run different versions of the rule za-cdv.");
  const reader = openReader(environment);
  await reader.signIn();
  const { text } = await reader.ask("/system");
  for (const words of ["Replicas", "Rules", "decisions", "2026-07", "in force"]) expect(text).toContain(words);
});

test("how far a partition is behind is said in seconds: the age of the first record that is not done", async () => {
  const { control, time, schedulerReaches, appendToJournal } = await openConsoleEnvironment();
  await schedulerReaches(0n);
  const status = async () => controlAnswers.controlStatus.parse(await (await control("/status")).json()).partitions;
  expect((await status()).map(({ behindSeconds }) => behindSeconds)).toEqual(Array.from({ length: 9 }, () => 0));
  await appendToJournal();
  await time.advance(90_000);
  const late = (await status()).filter(({ lag }) => lag !== "0");
  expect(late.map(({ service, behindSeconds }) => [service, behindSeconds])).toEqual([
    ["scheduler", expect.toSatisfy((s) => s >= 89 && s <= 91)],
  ]);
});

const blocked = {
  topic: topics.journal,
  partition: 1,
  offset: 41n,
  key: "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11",
  receiver: "first",
  sinceMs: consoleStartAtMs,
  why: "in progress",
};

test("what holds a position back is shown, and not to an operator of some schemes: its key may be of another [D10.133]", async () => {
  const readiness = { isReady: false, reasons: ["partition 1 stands"], blocked: [blocked] };
  const operators = [sampleOperator(), sampleOperator({ id: "of-eft", schemes: ["ZA_EFT"] })];
  const environment = await openWith([{ service: "scheduler", owned: { 1: 7 }, readiness }], operators);
  const keys = async (operator: string) =>
    controlAnswers.listServices
      .parse(await (await environment.control("/services", { operator })).json())
      .rows.flatMap((row) => row.blocked.map(({ key }) => key));
  expect([await keys("operator"), await keys("of-eft")]).toEqual([[blocked.key], []]);
});

test("the page shows every process, why it is not ready, and what differs", async () => {
  const environment = await openWith([
    {
      service: "scheduler",
      owned: { 0: 5, 1: 7 },
      readiness: { isReady: false, reasons: ["store: <b>no answer</b>"], blocked: [blocked] },
    },
    "ECONNREFUSED",
  ]);
  const reader = openReader(environment);
  await reader.signIn();
  const { status, text } = await reader.ask("/services");
  expect(status).toBe(200);
  for (const words of [
    "not ready",
    "store: &lt;b&gt;no answer",
    "ECONNREFUSED",
    "1.4.0",
    "0–1",
    "No process of ingress answers.",
    "Positions that stand",
  ])
    expect(text).toContain(words);
});

test("how topics differ is shown with the sentence and the command that mends it, also if several processes say it", async () => {
  const differing = ["sluice.events.v1", "retention.ms", "2592000000", "3600000"] as const;
  const longer = ["sluice.items.v1", "retention.ms", "3600000", "2592000000", "harmless"] as const;
  const environment = await openWith([
    { service: "scheduler", topicDifferences: [differing, longer, ["sluice.dispatch.v1", "partitions", "12", "6"]] },
    { service: "scheduler", topicDifferences: [differing] },
    ...others,
  ]);
  const { topicsCompared, topicDifferences } = await environment.list();
  expect([topicsCompared, topicDifferences.map(({ topic, what }) => `${topic} ${what}`)]).toEqual([
    2,
    ["sluice.dispatch.v1 partitions", "sluice.events.v1 retention.ms", "sluice.items.v1 retention.ms"],
  ]);
  // A command that is pasted must not delete records.
  expect(topicDifferences[2]?.mend).toBe("Nothing has to be done. A shorter retention would delete records.");
  expect(topicDifferences[1]).toMatchObject({
    sentence: "sluice.events.v1: retention.ms is 3600000, configured is 2592000000. It would break order or lose records.",
    mend: "kafka-configs.sh --bootstrap-server BROKERS --alter --entity-type topics --entity-name sluice.events.v1 --add-config retention.ms=2592000000",
  });
  const reader = openReader(environment);
  await reader.signIn();
  const { text } = await reader.ask("/system");
  expect(text).toContain("--add-config retention.ms=2592000000");
  expect(text).toContain("No command: another number moves keys");
});

test("where no process has compared topics, nobody says that they are right", async () => {
  const environment = await openWith(others);
  expect(await environment.list()).toMatchObject({ topicsCompared: 0, topicDifferences: [] });
  const reader = openReader(environment);
  await reader.signIn();
  expect((await reader.ask("/system")).text).toContain("No process says whether they differ.");
});
