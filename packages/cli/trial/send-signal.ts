// Freezes and thaws a process.

import type { ServiceProcess } from "../processes.ts";

export function sendSignal({ pid }: ServiceProcess, signal: "SIGSTOP" | "SIGCONT"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended by itself: what that means is seen elsewhere.
  }
}
