// Starts small programs of the benches. They speak JSON, one value a line, and end when their input ends.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { machineTime } from "@sluice/kernel";

export interface LineProcess {
  readonly pid: number;
  /** Writes a line to its input. */
  send(what: unknown): void;
  /** Reads the next line of its output; rejects if the process ends before. */
  nextLine(): Promise<unknown>;
  stop(): Promise<void>;
}

const stopMaxMs = 2_000;

export function startLineProcess(file: URL, words: readonly string[]): LineProcess {
  const child = spawn(process.execPath, [file.pathname, ...words], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    send: (what) => void child.stdin.write(`${JSON.stringify(what)}\n`),
    async nextLine() {
      const { done, value } = await lines.next();
      if (done === true) throw new Error(`${file.pathname} ended before it printed its next line`);
      return JSON.parse(value);
    },
    async stop() {
      child.stdin.end();
      using _timer = machineTime.after(stopMaxMs, () => void child.kill("SIGKILL"));
      await exited;
    },
  };
}

export function readNumber(said: unknown, name: string): number {
  if (typeof said !== "object" || said === null) throw new Error(`a process of the bench printed no ${name}`);
  const value: unknown = Reflect.get(said, name);
  if (typeof value !== "number") throw new Error(`a process of the bench printed no ${name}`);
  return value;
}
