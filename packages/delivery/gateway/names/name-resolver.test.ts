// The resolver against real name servers on the loopback, over UDP and TCP, with hosts file and resolv.conf of its own.
// The test moves the clock by which answers age.

import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, open, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineTime, silentLogger, silentMetrics, type Time } from "@sluice/kernel";
import { openNameServer, type NameServer, type NameServerAnswer } from "@sluice/testkit";
import { afterEach, describe, expect, it, test } from "vitest";
import { lookMs } from "./machine-names.ts";
import { nameCacheBounds } from "./name-cache.ts";
import { createNameReport } from "./name-report.ts";
import { NameResolver } from "./name-resolver.ts";
import { buildReceiverRequest, openGatewayEnvironment } from "../gateway.fixture.ts";

const { httpBank, gatewayTo } = openGatewayEnvironment();
const opened: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

const here: NameServerAnswer = { addresses: ["127.0.0.1"] };
const noSuchName: NameServerAnswer = { code: 3 };
const v4 = (address: string) => ({ address, family: 4 });

/** One name server for each of `servers`, at 127.0.0.1, 127.0.0.2 and so on. */
async function openNames(servers: readonly ((name: string) => NameServerAnswer)[], hosts = "", options = "") {
  const nameServers: NameServer[] = [];
  for (const [index, answer] of servers.entries()) {
    const server = await openNameServer(`127.0.0.${index + 1}`, nameServers[0]?.port ?? 0, answer);
    opened.push(() => server.close());
    nameServers.push(server);
  }
  const folder = await mkdtemp(join(tmpdir(), "sluice-names-"));
  opened.push(() => rm(folder, { recursive: true }));
  const paths = { hosts: join(folder, "hosts"), resolvConf: join(folder, "resolv.conf") };
  async function write(path: string, text: string): Promise<void> {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  }
  await write(paths.hosts, hosts);
  await write(paths.resolvConf, `${servers.map((_, index) => `nameserver 127.0.0.${index + 1}\n`).join("")}${options}\n`);
  const clock = { aheadMs: 0 };
  const time: Time = { ...machineTime, monotonicMs: () => machineTime.monotonicMs() + clock.aheadMs };
  const report = createNameReport({ time, logger: silentLogger, metrics: silentMetrics });
  const names = new NameResolver({ time, report, paths, port: nameServers[0]?.port ?? 1 });
  opened.push(() => names.close());
  return {
    resolve: (name: string) => names.resolve(name),
    questions: nameServers.map((server) => server.questions),
    pass: (ms: number) => void (clock.aheadMs += ms),
    write,
    paths,
    port: nameServers[0]?.port ?? 1,
  };
}

const failureOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => "resolved",
    (error: unknown) => (error instanceof Error && "code" in error ? error.code : error),
  );

describe("what name servers answer", () => {
  it("a name has its addresses of both families, IPv4 first", async () => {
    const { resolve } = await openNames([() => ({ addresses: ["fd00::7", "10.1.2.3", "10.1.2.4"] })]);
    expect(await resolve("bank.test")).toEqual([v4("10.1.2.3"), v4("10.1.2.4"), { address: "fd00::7", family: 6 }]);
  });

  it("a name of a cluster is found by the search list", async () => {
    const options = "search payments.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5";
    const server = (name: string): NameServerAnswer => (name === "bank.default.svc.cluster.local" ? here : noSuchName);
    const { resolve, questions } = await openNames([server], "", options);
    expect(await resolve("bank.default")).toEqual([v4("127.0.0.1")]);
    expect(questions[0]!.filter((question) => question.startsWith("A "))).toEqual([
      "A bank.default.payments.svc.cluster.local",
      "A bank.default.svc.cluster.local",
    ]);
    expect(await failureOf(resolve("bank.default."))).toBe("ENOTFOUND");
  });

  it("a server that fails for one full name may know the next", async () => {
    const server = (name: string): NameServerAnswer => (name === "bank.test" ? here : { code: 2 });
    const { resolve } = await openNames([server], "", "search broken.test\noptions ndots:2");
    expect(await resolve("bank.test")).toEqual([v4("127.0.0.1")]);
    expect(await failureOf(resolve("other.test"))).toBe("name-server-failed");
  });

  it("an answer that does not fit a datagram is fetched by TCP", async () => {
    const { resolve, questions } = await openNames([() => ({ addresses: ["10.1.2.3"], onlyByTcp: true })]);
    expect(await resolve("bank.test")).toEqual([v4("10.1.2.3")]);
    expect(questions[0]).toContain("A bank.test by TCP");
  });

  it("a second server answers where the first is silent", async () => {
    const { resolve, questions } = await openNames([() => "silent", () => here]);
    expect(await resolve("bank.test")).toEqual([v4("127.0.0.1")]);
    expect(questions[1]).toContain("A bank.test");
  });

  it("a name server that nobody runs is not the receiver's refusal to connect", async () => {
    const { resolve } = await openNames([]);
    expect(await failureOf(resolve("bank.test"))).toMatch(/^name-server-(failed|silent)$/);
  });
});

describe("what is kept", () => {
  it("a name is asked for once by all who want it, and not again while the answer is fresh", async () => {
    const { resolve, questions, pass } = await openNames([() => ({ addresses: ["127.0.0.1"], ttlSeconds: 30 })]);
    await Promise.all(Array.from({ length: 20 }, () => resolve("bank.test")));
    pass(29_000);
    await resolve("bank.test");
    expect(questions[0]!.toSorted()).toEqual(["A bank.test", "AAAA bank.test"]);
  });

  it("a stale address serves at once while the name is asked for, and not for ever", async () => {
    let answer: NameServerAnswer = here;
    const { resolve, questions, pass } = await openNames([() => answer]);
    await resolve("bank.test");
    answer = { addresses: ["127.0.0.9"] };
    pass(61_000);
    expect(await resolve("bank.test")).toEqual([v4("127.0.0.1")]);
    await expect.poll(() => resolve("bank.test")).toEqual([v4("127.0.0.9")]);
    expect(questions[0]).toHaveLength(4);
    pass(nameCacheBounds.freshMaxMs + nameCacheBounds.staleMaxMs);
    answer = { code: 2 };
    expect(await failureOf(resolve("bank.test"))).toBe("name-server-failed");
  });

  it("a stale address serves while every server is silent", async () => {
    let answer: NameServerAnswer = here;
    const { resolve, pass } = await openNames([() => answer]);
    await resolve("bank.test");
    answer = "silent";
    pass(600_000);
    for (let attempt = 0; attempt < 5; attempt += 1) expect(await resolve("bank.test")).toEqual([v4("127.0.0.1")]);
  });

  it("a name that does not exist is asked for again after some seconds", async () => {
    let answer: NameServerAnswer = noSuchName;
    const { resolve, questions, pass } = await openNames([() => answer]);
    expect([await failureOf(resolve("bank.test")), await failureOf(resolve("bank.test"))]).toEqual(["ENOTFOUND", "ENOTFOUND"]);
    expect(questions[0]).toHaveLength(2);
    answer = here;
    pass(nameCacheBounds.absentMs);
    expect(await resolve("bank.test")).toEqual([v4("127.0.0.1")]);
  });
});

describe("the machine's files", () => {
  it("the hosts file comes before every server, and is read again when it changes", async () => {
    const { resolve, questions, pass, write, paths } = await openNames([() => noSuchName], "10.1.2.3 bank.test");
    expect(await resolve("BANK.test.")).toEqual([v4("10.1.2.3")]);
    await write(paths.hosts, "10.1.2.4 bank.test");
    expect(await resolve("bank.test")).toEqual([v4("10.1.2.3")]);
    pass(lookMs);
    expect(await resolve("bank.test")).toEqual([v4("10.1.2.4")]);
    expect([await resolve("localhost"), questions[0]]).toEqual([[v4("127.0.0.1"), { address: "::1", family: 6 }], []]);
  });

  it("another name server is asked once resolv.conf names it; a half-written file changes nothing", async () => {
    const servers = [() => here, (): NameServerAnswer => ({ addresses: ["10.9.9.9"] })];
    const { resolve, questions, pass, write, paths } = await openNames(servers);
    expect(await resolve("bank.test")).toEqual([v4("127.0.0.1")]);
    await write(paths.resolvConf, "nameserver 127.0.0.2");
    pass(lookMs);
    expect(await resolve("bank.test")).toEqual([v4("127.0.0.1")]);
    await expect.poll(() => resolve("bank.test")).toEqual([v4("10.9.9.9")]);
    await write(paths.resolvConf, "# generated");
    pass(lookMs);
    expect(await resolve("other.test")).toEqual([v4("10.9.9.9")]);
    expect(questions.map((asked) => asked.filter((one) => one.startsWith("A ")).length)).toEqual([1, 2]);
  });
});

test("name servers that are given, with or without a port, are asked in place of those of resolv.conf", async () => {
  const {
    questions: ofMachine,
    paths,
    port,
  } = await openNames([() => "silent"], "10.1.2.3 listed.test", "search cluster.test\noptions ndots:2");
  const given = await openNameServer("127.0.0.9", port, (name) => (name === "bank.cluster.test" ? here : noSuchName));
  opened.push(() => given.close());
  const report = createNameReport({ time: machineTime, logger: silentLogger, metrics: silentMetrics });
  for (const [server, othersPort] of [
    ["127.0.0.9", port],
    [`127.0.0.9:${port}`, 1],
  ] as const) {
    const names = new NameResolver({ time: machineTime, report, paths, port: othersPort, servers: [server] });
    opened.push(() => names.close());
    expect([await names.resolve("bank"), await names.resolve("listed.test")]).toEqual([[v4("127.0.0.1")], [v4("10.1.2.3")]]);
  }
  expect(ofMachine).toEqual([[]]);
});

describe("I14: names whose servers are silent", () => {
  const isDead = (name: string): boolean => name.startsWith("dead");

  it.each([2, 5])("%i of them delay no connection to another bank", async (deadNames) => {
    const { resolve, questions } = await openNames([(name) => (isDead(name) ? "silent" : here)]);
    const { port } = new URL(await httpBank((_, response) => void response.writeHead(202, { connection: "close" }).end()));
    const bank = gatewayTo(`http://bank.test:${port}`, {}, { resolve });
    let gaveUp = 0;
    for (let index = 0; index < deadNames; index += 1) {
      const post = gatewayTo(`http://dead-${index}.test:${port}`, {}, { resolve }).post(buildReceiverRequest());
      void post.finally(() => (gaveUp += 1));
    }
    const answers = [];
    for (let attempt = 0; attempt < 20; attempt += 1) answers.push(await bank.post(buildReceiverRequest()));
    expect(answers.map((answer) => answer.kind === "answered" && answer.status)).toEqual(answers.map(() => 202));
    // An attempt at them takes seconds, and all others were answered before the first of these was given up. A question
    // without an answer is asked again.
    expect([gaveUp, new Set(questions[0]!.filter((question) => question.startsWith("A dead"))).size]).toEqual([0, deadNames]);
  });

  it("a name is resolved while every thread of the process's pool is occupied", async () => {
    const { resolve, paths } = await openNames([() => here], "10.1.2.3 listed.test");
    const pipe = `${paths.hosts}.pipe`;
    execFileSync("mkfifo", [pipe]);
    const threads = Number(process.env["UV_THREADPOOL_SIZE"] ?? 4);
    // Each waits in a thread until somebody writes.
    const waiting = Array.from({ length: threads }, () => open(pipe, "r"));
    let isReleased = false;
    const released = Promise.all(waiting).then((files) => ((isReleased = true), files));
    try {
      expect([await resolve("bank.test"), await resolve("listed.test"), isReleased]).toEqual([[v4("127.0.0.1")], [v4("10.1.2.3")], false]);
    } finally {
      const writer = openSync(pipe, constants.O_RDWR);
      for (const file of await released) await file.close();
      closeSync(writer);
    }
  });
});
