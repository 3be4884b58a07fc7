// The command line accepts every command that a runbook tells people to type, and a filter of log lines finds some.

import { globSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { formatLogLine, matchesLogFilter } from "@sluice/environment/log-line";
import { expect, test } from "vitest";
import { runCommandLine } from "../terminal/command-line.ts";
import type { ControlTerminal, RunControlVerb } from "../terminal/control-client.ts";
import { runCreditsFinal, runExtend, runOpenGate, runPause, runResume } from "../verbs/deciding/day-decisions.ts";
import { runConfirm, runReject, runRedrive, runResolve, runStop, runWithdraw } from "../verbs/deciding/transaction-decisions.ts";
import type { VerbCall } from "../terminal/verb.ts";
import { createIndex, verbs } from "../verbs.fixture.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = join(root, "docs/runbooks");
const commands = readdirSync(folder)
  .filter((file) => file.endsWith(".md"))
  .flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(/^ *\.\/sluice (.+)$/gm)].map(
      ([, command = ""]) => [file, command.replace(/ +#.*$/, "")] as const,
    ),
  );

/** The lines that services log, each with its level. */
const logged = globSync("{packages,services}/**/*.ts", {
  cwd: root,
  exclude: (name) => name === "node_modules" || name.endsWith(".test.ts"),
}).flatMap((file) =>
  [...readFileSync(join(root, file), "utf8").matchAll(/\blogger\.(\w+)\(\s*["`]([^"`]+)["`]/gu)].flatMap(([, level, name = ""]) =>
    ["ingress", "console"].map((service) => formatLogLine(JSON.stringify({ level, event: name.replace("${service}", service) }))),
  ),
);
const filters = commands.flatMap(([file, command]) => {
  const event = /--event (\S+)/u.exec(command)?.[1];
  return event === undefined ? [] : [[file, event, /--level (\S+)/u.exec(command)?.[1] ?? "info"] as const];
});

const decisions: Readonly<Record<string, RunControlVerb>> = {
  withdraw: runWithdraw,
  redrive: runRedrive,
  stop: runStop,
  "reconciliation resolve": runResolve,
  "reconciliation confirm": runConfirm,
  "reconciliation reject": runReject,
  "window extend": runExtend,
  "window credits-final": runCreditsFinal,
  "window open-gate": runOpenGate,
  "bank pause": runPause,
  "bank resume": runResume,
};

/** A console that accepts and applies everything. */
function createAcceptingConsole() {
  const posted: string[] = [];
  const where: ControlTerminal = {
    out: () => undefined,
    write: () => undefined,
    environment: {},
    upControlUrl: () => Promise.resolve("http://127.0.0.1:8082"),
    fetch: (url, { method }) => {
      if (method === "POST") posted.push(new URL(url).pathname);
      return Promise.resolve(Response.json({ key: "bank:sample", partition: 0, offset: "0", result: "applied", why: null }));
    },
  };
  return { posted, where };
}

test("runbooks contain commands, and each decision is in one of them", () => {
  const named = Object.keys(decisions).filter((verb) => commands.some(([, command]) => command.startsWith(`${verb} `)));
  expect(named).toEqual(Object.keys(decisions));
});

test.each(commands)("%s: ./sluice %s", async (_file, command) => {
  const { posted, where } = createAcceptingConsole();
  const table = verbs.map((verb) => ({
    ...verb,
    run: (call: VerbCall) => decisions[verb.name]?.(call, where) ?? Promise.resolve(0),
  }));
  const said: string[] = [];
  const output = { out: (text: string) => void said.push(text), err: (text: string) => void said.push(text) };
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
  expect([await runCommandLine(words, createIndex(table), output), said]).toEqual([0, []]);
  const isDecision = Object.keys(decisions).some((verb) => command.startsWith(`${verb} `));
  expect(posted).toHaveLength(isDecision ? 1 : 0);
});

test.each(filters)("%s: --event %s finds lines of level %s", (_file, event, level) => {
  expect(logged.filter((line) => matchesLogFilter(line, { fromMs: null, level, uetr: null, event }))).not.toEqual([]);
});
