// A sandbox on free ports, and its requests as a test makes them.

import { machineRandom, machineTime, sleep } from "@sluice/kernel";
import { operatorToken } from "./configuration.ts";
import { startSandbox } from "./sandbox.ts";

const withinMs = 60_000;
const lookMs = 25;

export async function openSandbox() {
  const log: string[] = [];
  const sandbox = await startSandbox({
    host: "127.0.0.1",
    port: 0,
    controlPort: 0,
    random: machineRandom,
    startAtMs: machineTime.nowMs(),
    log: (line) => void log.push(line),
    stopping: new AbortController().signal,
  });
  const url = `http://127.0.0.1:${sandbox.port}`;
  const controlUrl = `http://127.0.0.1:${sandbox.controlPort}`;

  async function ask(path: string, body?: object): Promise<Record<string, unknown>> {
    const answer = await fetch(`${controlUrl}${path}`, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) });
    const found: unknown = await answer.json();
    if (!answer.ok) throw new Error(`${path} answers ${answer.status} ${JSON.stringify(found)}`);
    return typeof found === "object" && found !== null ? { ...found } : {};
  }

  /** As an operator sees it. */
  async function transaction(uetr: string): Promise<Record<string, unknown>> {
    const answer = await fetch(`${controlUrl}/control/v1/transactions/${uetr}`, { headers: { authorization: `Bearer ${operatorToken}` } });
    if (!answer.ok) return {};
    const found: unknown = await answer.json();
    return typeof found === "object" && found !== null ? { ...found } : {};
  }

  /** The states that it has entered, the present one last. */
  async function states(uetr: string): Promise<readonly string[]> {
    return [...JSON.stringify(await transaction(uetr)).matchAll(/"stageVersion":\d+,"state":"([A-Z_]+)"/g)].map(([, state = ""]) => state);
  }

  return {
    url,
    controlUrl,
    log,
    ask,
    transaction,
    states,
    trigger: async (name: string) => String((await ask("/sandbox/trigger", { name }))["uetr"]),
    clock: (move: "open-window") => ask(`/clock/${move}`, {}),
    advance: (ms: number) => ask("/clock/advance", { ms }),
    async until(uetr: string, state: string): Promise<void> {
      const deadlineMs = machineTime.monotonicMs() + withinMs;
      while (!(await states(uetr)).includes(state)) {
        if (machineTime.monotonicMs() > deadlineMs) {
          throw new Error(`${uetr} is not ${state}: ${JSON.stringify(await transaction(uetr))}\n${log.join("")}`);
        }
        await sleep(machineTime, lookMs);
      }
    },
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
}
