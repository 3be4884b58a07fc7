// `./sluice all`: all services in one process over memory, in the foreground, with a clock that can be moved ahead. It
// is started as the image starts it.

import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { configurationOption, sampleFile } from "./configuration-option.ts";
import type { RunVerb, Verb } from "../../terminal/verb.ts";

const entry = fileURLToPath(new URL("../../../../infra/image/main.ts", import.meta.url));

const run: RunVerb = async (call) => {
  const start = call.value("clock-start");
  const child = spawn(process.execPath, [entry, "all"], {
    env: {
      ...process.env,
      SLUICE_CONFIG: resolve(call.value("config") ?? sampleFile),
      ...(start === null ? {} : { SLUICE_CLOCK_START: start }),
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  // A signal from the terminal reaches the child itself.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void (signal === "SIGTERM" && child.kill(signal)));
  return await new Promise<number>((ended, failed) => {
    child.once("error", failed);
    child.once("exit", (code) => ended(code ?? 1));
  });
};

export const allVerb: Verb = {
  name: "all",
  summary: "all services in one process over memory, with a clock that can be moved ahead; for tests of a bank's side",
  arguments: [],
  options: {
    config: configurationOption("infra/local/sluice.yaml"),
    "clock-start": { type: "string", placeholder: "INSTANT", text: "what its clock shows at the start (the machine's time)" },
  },
  notes: [
    "It ends with Ctrl-C, and nothing is kept. Its log names the ports; SLUICE_HTTP_PORT and SLUICE_CONTROL_PORT choose them.",
    "GET /clock, POST /clock/advance and POST /clock/open-window on the control port tell and move the clock.",
    "It refuses to start where KAFKA_BROKERS or another setting names real servers.",
  ],
  examples: ["all", "all --config sluice.yaml --clock-start 2026-11-20T07:59:00+02:00"],
  run,
};
