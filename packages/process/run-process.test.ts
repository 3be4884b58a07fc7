import { spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { connect as connectTls, TLSSocket } from "node:tls";
import { fileURLToPath } from "node:url";
import { openFolders } from "@sluice/connection/folder.fixture";
import { machineTime } from "@sluice/kernel";
import { createCertificateAuthority } from "@sluice/testkit";
import { expect, test, vi } from "vitest";

const { folder } = openFolders();

interface Line {
  readonly event: string;
  readonly opsPort?: number;
  readonly port?: number;
  readonly error?: { readonly message: string };
}

/** Runs the fixture as a process; `until` resolves with the first line of that event. */
function run(behaviour: string, environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [fileURLToPath(new URL("run-process.fixture.ts", import.meta.url)), behaviour], {
    env: { ...process.env, SLUICE_OPS_PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: Line[] = [];
  const seen = Promise.withResolvers<Line>();
  createInterface({ input: child.stdout }).on("line", (text) => {
    const line = JSON.parse(text) as Line;
    lines.push(line);
    if (line.event === "service.listening") seen.resolve(line);
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { child, lines, listening: seen.promise, ended };
}

test("a service logs its ports, answers as alive and ready, and exits with 0 on SIGTERM", async () => {
  const { child, listening, ended, lines } = run("works");
  const line = await listening;
  expect(line.port).toBe(4711);
  expect((await fetch(`http://127.0.0.1:${line.opsPort}/livez`)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${line.opsPort}/readyz`)).status).toBe(200);
  const metrics = await (await fetch(`http://127.0.0.1:${line.opsPort}/metrics`)).text();
  expect(metrics).toContain('sluice_connections_dropped_total{port="opsPort"} 0\n');
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(lines.map(({ event }) => event)).toEqual(["service.listening", "service.stopping", "service.stopped"]);
});

test("I14: /livez and /readyz answer while others hold all connections of the operations port", async () => {
  const { child, listening, ended } = run("works");
  const port = (await listening).opsPort ?? 0;
  const held = Array.from({ length: 400 }, (_, index) => connect({ port, host: "127.0.0.1", localAddress: `127.0.0.${1 + (index % 8)}` }));
  for (const socket of held) socket.on("error", () => socket.destroy());
  await Promise.allSettled(held.map((socket) => once(socket, "connect")));
  for (const path of ["livez", "readyz", "livez"]) expect((await fetch(`http://127.0.0.1:${port}/${path}`)).status).toBe(200);
  for (const socket of held) socket.destroy();
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});

test("a service that is not ready answers with its reasons", async () => {
  const { child, listening, ended } = run("waits");
  const answer = await fetch(`http://127.0.0.1:${(await listening).opsPort}/readyz`);
  expect([answer.status, await answer.json()]).toMatchObject([503, { reasons: ["journal: not assigned"] }]);
  child.kill("SIGINT");
  expect(await ended).toBe(0);
});

test.each([
  ["refuses", "service.start-failed", "no journal"],
  ["fails", "service.failed", "fenced"],
  ["rejects", "service.rejection", "forgotten"],
])("a service that %s logs the reason in one line and exits with 1", async (behaviour, event, message) => {
  const { ended, lines } = run(behaviour);
  expect(await ended).toBe(1);
  expect(lines.find((line) => line.event === event)?.error?.message).toBe(message);
});

test("a stop that exceeds the grace time is cut off, with exit code 1", async () => {
  const { child, listening, ended } = run("hangs");
  await listening;
  child.kill("SIGTERM");
  expect(await ended).toBe(1);
});

test("a wrong environment gives one line and exit code 1", async () => {
  const { ended, lines } = run("works", { SLUICE_OPS_PORT: "no", SLUICE_LOG_LEVEL: "loud" });
  expect(await ended).toBe(1);
  expect(lines).toHaveLength(1);
  expect(lines[0]?.error?.message).toMatch(/SLUICE_OPS_PORT: .*SLUICE_LOG_LEVEL: /);
});

test("a service serves TLS from files, renews it without a restart, and does not start in clear beyond the loopback address", async () => {
  const refused = run("works", { SLUICE_OPS_HOST: "0.0.0.0" });
  expect(await refused.ended).toBe(1);
  expect(refused.lines[0]?.error?.message).toMatch(/SLUICE_OPS_HOST: is not a loopback address: set SLUICE_TLS_CERTIFICATE_FILE/);
  const files = await folder();
  const authority = createCertificateAuthority("Ours", machineTime.nowMs());
  const put = async (name: string) => {
    const { certificatePem, keyPem } = authority.issue({ name, hosts: ["127.0.0.1"] });
    const SLUICE_TLS_CERTIFICATE_FILE = await files.write("certificate", certificatePem);
    return { SLUICE_TLS_CERTIFICATE_FILE, SLUICE_TLS_KEY_FILE: await files.write("key", keyPem) };
  };
  const { child, listening, ended, lines } = run("works", { ...(await put("first")), SLUICE_OPS_HOST: "0.0.0.0" });
  const { opsPort = 0 } = await listening;
  expect(await shownName(opsPort, authority.pem)).toBe("first");
  const { ends, shown } = await shownEnd(opsPort, authority.pem);
  expect(shown).toBe(ends);
  await put("second");
  await vi.waitFor(async () => expect(await shownName(opsPort, authority.pem)).toBe("second"), { timeout: 20_000, interval: 200 });
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(lines.filter(({ event }) => event === "listener.certificate-read")).toHaveLength(2);
});

/** When the certificate ends, and what the metric of it says, in seconds of Unix time. */
async function shownEnd(port: number, ca: string): Promise<{ readonly ends: number; readonly shown: number }> {
  const asked = get({ host: "127.0.0.1", port, path: "/metrics", ca, agent: false });
  const [answer]: IncomingMessage[] = await once(asked, "response");
  if (!(answer?.socket instanceof TLSSocket)) throw new Error("the answer has a connection with TLS");
  const ends = Date.parse(answer.socket.getPeerCertificate().valid_to) / 1_000;
  const shown = /^sluice_listener_certificate_ends_timestamp_seconds (\S+)$/m.exec(await text(answer))?.[1];
  return { ends, shown: Number(shown) };
}

async function shownName(port: number, ca: string): Promise<string> {
  const socket = connectTls({ host: "127.0.0.1", port, ca });
  await once(socket, "secureConnect");
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(CN);
}
