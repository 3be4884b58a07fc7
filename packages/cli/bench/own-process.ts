// Small processes of a bench's own: they speak JSON, a line at a time, and end when their input does.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { machineTime } from "@sluice/runtime";

export interface OwnProcess {
  readonly pid: number;
  /** A line of its input. */
  tell(what: unknown): void;
  /** The next line of its output. Rejects when it ends before. */
  line(): Promise<unknown>;
  stop(): Promise<void>;
}

const stopMaxMs = 2_000;

export function startOwnProcess(file: URL, words: readonly string[]): OwnProcess {
  const child = spawn(process.execPath, [file.pathname, ...words], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    tell: (what) => void child.stdin.write(`${JSON.stringify(what)}\n`),
    async line() {
      const { done, value } = await lines.next();
      if (done === true) throw new Error(`${file.pathname} ended before it had said what it was to say`);
      return JSON.parse(value);
    },
    async stop() {
      child.stdin.end();
      using _late = machineTime.after(stopMaxMs, () => void child.kill("SIGKILL"));
      await exited;
    },
  };
}

export function numberIn(said: unknown, name: string): number {
  if (typeof said !== "object" || said === null) throw new Error(`a process of the bench did not say its ${name}`);
  const value: unknown = Reflect.get(said, name);
  if (typeof value !== "number") throw new Error(`a process of the bench did not say its ${name}`);
  return value;
}
