// Runs a trial in a terminal: prints progress with the seconds since the start, then the report as text or JSON, and
// returns the exit code. With JSON progress goes to standard error.

import { machineTime } from "@sluice/kernel";
import { interruptible } from "@sluice/environment/interruption";

const exitCodes = { right: 0, violated: 1, interrupted: 130 } as const;

export async function runInTerminal<Report extends { readonly isRight: boolean }>(
  isJson: boolean,
  run: (say: (text: string) => void, signal: AbortSignal) => Promise<Report>,
  format: (report: Report) => string,
): Promise<number> {
  const startedMs = machineTime.monotonicMs();
  const say = (text: string): void => {
    const seconds = ((machineTime.monotonicMs() - startedMs) / 1_000).toFixed(1).padStart(6);
    (isJson ? process.stderr : process.stdout).write(`${seconds} s  ${text}\n`);
  };
  using interruption = interruptible();
  try {
    const report = await run(say, interruption.signal);
    process.stdout.write(`${isJson ? JSON.stringify(report, null, 2) : `\n${format(report)}`}\n`);
    return report.isRight ? exitCodes.right : exitCodes.violated;
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    say("interrupted; everything is stopped");
    return exitCodes.interrupted;
  }
}
