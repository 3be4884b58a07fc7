// The sink as the bench sees it.

import { numberIn, startOwnProcess } from "./own-process.ts";

export interface Sink {
  readonly pid: number;
  readonly origin: string;
  heard(): Promise<{ readonly count: number; readonly tookMs: number }>;
  /** In the order of arrival. */
  ids(): Promise<readonly string[]>;
  forget(): Promise<void>;
}

/** It is stopped by `opened`. */
export async function openSink(opened: AsyncDisposableStack): Promise<Sink> {
  const child = startOwnProcess(new URL("./sink-process.ts", import.meta.url), []);
  opened.defer(() => child.stop());
  const ports = await child.line();
  const at = (name: string): string => `http://127.0.0.1:${numberIn(ports, name)}`;
  const [origin, questions] = [at("port"), at("questions")];
  const ask = async (method: string): Promise<unknown> => {
    const answer = await fetch(questions, { method });
    const text = await answer.text();
    return text === "" ? null : JSON.parse(text);
  };
  return {
    pid: child.pid,
    origin,
    async heard() {
      const said = await ask("GET");
      return { count: numberIn(said, "count"), tookMs: numberIn(said, "tookMs") };
    },
    async ids() {
      const said = await ask("PUT");
      return Array.isArray(said) ? said.map(String) : [];
    },
    async forget() {
      await ask("DELETE");
    },
  };
}
