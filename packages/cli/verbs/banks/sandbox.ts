// `./sluice sandbox`: Sluice in one process, for those who build a bank's side, in the foreground.

import { Fault, machineRandom, machineTime, sleep } from "@sluice/kernel";
import { sandboxPorts } from "@sluice/sandbox/address";
import type { RunVerb, Verb } from "../../terminal/verb.ts";

const loopback = "127.0.0.1";
const portMax = 65_535;
const exitInterrupted = 130;

const run: RunVerb = async (call) => {
  const startAtMs = readInstant(call.value("clock-start"));
  // The image chooses its own host and ports.
  const host = call.value("host") ?? variable("SLUICE_HTTP_HOST") ?? loopback;
  const port = readPort(call.value("port") ?? variable("SLUICE_HTTP_PORT"), sandboxPorts.banks);
  const controlPort = readPort(call.value("control-port") ?? variable("SLUICE_CONTROL_PORT"), sandboxPorts.control);
  const { startSandbox } = await import("@sluice/sandbox");
  const { interruptible } = await import("@sluice/environment/interruption");
  using interrupted = interruptible();
  await using sandbox = await startSandbox({
    host,
    port,
    controlPort,
    random: machineRandom,
    startAtMs,
    log: (line) => void process.stderr.write(line),
    stopping: interrupted.signal,
  });
  process.stdout.write(`${describe(host, sandbox.port, sandbox.controlPort).join("\n")}\n`);
  await sleep(machineTime, Infinity, interrupted.signal);
  return exitInterrupted;
};

export const sandboxVerb: Verb = {
  name: "sandbox",
  summary: "Sluice for those who build a bank's side: one process, a clock that can be moved, test accounts and amounts",
  arguments: [],
  options: {
    host: { type: "string", placeholder: "HOST", text: `where it listens (SLUICE_HTTP_HOST, else ${loopback})` },
    port: { type: "string", placeholder: "PORT", text: `for banks (SLUICE_HTTP_PORT, else ${sandboxPorts.banks}); 0 takes any` },
    "control-port": {
      type: "string",
      placeholder: "PORT",
      text: `for clock and console (SLUICE_CONTROL_PORT, else ${sandboxPorts.control})`,
    },
    "clock-start": { type: "string", placeholder: "INSTANT", text: "what its clock shows at the start (the machine's time)" },
  },
  notes: [
    "It ends with Ctrl-C, and nothing is kept. docs/sandbox.md has a quickstart, and what each amount and account does.",
    "In another terminal: ./sluice listen shows what it posts to your bank, ./sluice trigger has it do something.",
  ],
  examples: ["sandbox", "sandbox --port 0 --control-port 0", "sandbox --clock-start 2026-11-20T06:30:00+02:00"],
  run,
};

function describe(host: string, port: number, controlPort: number): readonly string[] {
  // All addresses of a container; from this machine it is reached at this one.
  const reached = host === "0.0.0.0" ? loopback : host;
  const control = `http://${reached}:${controlPort}`;
  return [
    `banks     http://${reached}:${port}   token sample-bank-token`,
    `console   ${control}   token sample-operator-token`,
    "",
    "In another terminal:",
    `  ./sluice listen --sandbox ${control}`,
    `  ./sluice trigger paid --sandbox ${control}`,
    `  curl -X POST ${control}/clock/open-window`,
    "",
    "docs/sandbox.md says what each amount and account does. Ctrl-C ends it; nothing is kept.",
  ];
}

function variable(name: string): string | null {
  const value = process.env[name] ?? "";
  return value === "" ? null : value;
}

function readPort(given: string | null, usual: number): number {
  const port = given === null ? usual : Number(given);
  if (Number.isInteger(port) && port >= 0 && port <= portMax) return port;
  throw new Fault("cli.unfit-option", `${given} is no port`, { isRetryable: false });
}

function readInstant(given: string | null): number {
  if (given === null) return machineTime.nowMs();
  try {
    return Temporal.Instant.from(given).epochMilliseconds;
  } catch {
    throw new Fault("cli.unfit-option", `${given} is no instant, for example 2026-11-20T06:30:00+02:00`, { isRetryable: false });
  }
}
