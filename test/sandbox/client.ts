// Asks a running sandbox over HTTP.

import { Fault } from "@sluice/kernel";
import { sandboxPrefix } from "./address.ts";

export interface SandboxClient {
  get(path: string, signal?: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  post(path: string, body: object, signal?: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
}

/** `controlUrl` is the address of its control port. */
export function sandboxClient(controlUrl: string): SandboxClient {
  const base = controlUrl.replace(/\/+$/, "");
  async function ask(path: string, request: RequestInit): Promise<Readonly<Record<string, unknown>>> {
    const answer = await fetch(`${base}${sandboxPrefix}${path}`, request).catch((error: unknown) => {
      if (request.signal?.aborted === true) throw error;
      throw new Fault("cli.console-away", `no sandbox answers at ${base}: start it with ./sluice sandbox`, { isRetryable: true });
    });
    const body: unknown = await answer.json().catch(() => null);
    const found = typeof body === "object" && body !== null ? { ...body } : {};
    if (answer.ok) return found;
    const said = "detail" in found ? String(found.detail) : "";
    throw new Fault("cli.refused", `the sandbox answers ${answer.status} ${said}`.trimEnd(), { isRetryable: false });
  }
  const signalOf = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal });
  return {
    get: (path, signal) => ask(path, signalOf(signal)),
    post: (path, body, signal) => ask(path, { method: "POST", body: JSON.stringify(body), ...signalOf(signal) }),
  };
}
