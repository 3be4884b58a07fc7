// Starts the sink and asks it what it received.

import { readNumber, startLineProcess } from "../line-process.ts";

export interface Sink {
  readonly pid: number;
  readonly origin: string;
  received(): Promise<{ readonly count: number; readonly tookMs: number }>;
  /** Returns webhook-ids in the order of arrival. */
  ids(): Promise<readonly string[]>;
  reset(): Promise<void>;
}

/** Starts the sink; `opened` stops it. */
export async function openSink(opened: AsyncDisposableStack): Promise<Sink> {
  const child = startLineProcess(new URL("./sink-process.ts", import.meta.url), []);
  opened.defer(() => child.stop());
  const ports = await child.nextLine();
  const at = (name: string): string => `http://127.0.0.1:${readNumber(ports, name)}`;
  const [origin, questions] = [at("port"), at("questions")];
  const ask = async (method: string): Promise<unknown> => {
    const answer = await fetch(questions, { method });
    const text = await answer.text();
    return text === "" ? null : JSON.parse(text);
  };
  return {
    pid: child.pid,
    origin,
    async received() {
      const said = await ask("GET");
      return { count: readNumber(said, "count"), tookMs: readNumber(said, "tookMs") };
    },
    async ids() {
      const said = await ask("PUT");
      return Array.isArray(said) ? said.map(String) : [];
    },
    async reset() {
      await ask("DELETE");
    },
  };
}
