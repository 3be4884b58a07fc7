// Freezes and thaws a service process.

import type { ServiceProcess } from "@sluice/environment";

export function sendSignal({ pid }: ServiceProcess, signal: "SIGSTOP" | "SIGCONT"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has just ended by itself; its supervisor records that.
  }
}
