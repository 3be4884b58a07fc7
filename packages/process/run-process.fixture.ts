// A service for the tests of run-process.ts, which behaves as its argument tells.

import { runProcess } from "./run-process.ts";

const behaviour = process.argv[2];

runProcess(
  "fixture",
  ["SLUICE_DATABASE"],
  (context) => {
    if (behaviour === "refuses") throw new Error("no journal");
    if (behaviour === "fails") context.time.after(10, () => context.fail(new Error("fenced")));
    if (behaviour === "rejects") context.time.after(10, () => void Promise.reject(new Error("forgotten")));
    return Promise.resolve({
      port: 4711,
      readiness: () => ({ isReady: behaviour !== "waits", reasons: behaviour === "waits" ? ["journal: not assigned"] : [] }),
      stop: () => (behaviour === "hangs" ? new Promise(() => {}) : Promise.resolve()),
    });
  },
  { graceMs: 300 },
);
