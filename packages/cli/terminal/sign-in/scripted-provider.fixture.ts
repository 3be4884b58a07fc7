// A provider over real HTTP that answers as a test says, and a clock that only sleeping moves.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ProviderClientPorts } from "./provider-client.ts";

/** `cut`: the connection ends without an answer. */
export type ScriptedAnswer = "cut" | { readonly status?: number; readonly headers?: Record<string, string>; readonly members: object };

export interface ScriptedCall {
  readonly path: string;
  readonly form: URLSearchParams;
  /** Claims of the proof; none: there was no proof. */
  readonly proven: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

export interface ScriptedProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly calls: readonly ScriptedCall[];
  readonly ports: ProviderClientPorts;
}

type Script = (call: ScriptedCall) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** `answer` is asked for every call but that of the description. */
export async function openScriptedProvider(answer: Script): Promise<ScriptedProvider> {
  const calls: ScriptedCall[] = [];
  let nowMs = 0;
  const server = createServer((request, response) => {
    const { url: path = "" } = request;
    const respond = async (): Promise<void> => {
      let body = "";
      for await (const part of request.setEncoding("utf8")) body += String(part);
      const call = { path, form: new URLSearchParams(body), proven: readProof(request.headers["dpop"]), atMs: nowMs };
      if (path !== "/.well-known/openid-configuration") calls.push(call);
      const answered = path === "/.well-known/openid-configuration" ? { members: describe(issuer) } : await answer(call);
      if (answered === "cut") return void request.socket.destroy();
      response.writeHead(answered.status ?? 200, { "content-type": "application/json", ...answered.headers });
      response.end(JSON.stringify(answered.members));
    };
    void respond();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has one
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ports = {
    fetch,
    nowMs: () => nowMs,
    sleep: (ms: number) => {
      nowMs += ms;
      return Promise.resolve();
    },
  };
  return {
    issuer,
    calls,
    ports,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

export function refuseWith(error: string, headers: Record<string, string> = {}): ScriptedAnswer {
  return { status: 400, headers, members: { error } };
}

export function deviceCode(issuer: string, expiresInS: number, interval: number): ScriptedAnswer {
  const members = { device_code: "d", user_code: "BCDF-GHJK", verification_uri: `${issuer}/device`, expires_in: expiresInS, interval };
  return { members };
}

function describe(issuer: string): object {
  return {
    issuer,
    token_endpoint: `${issuer}/token`,
    device_authorization_endpoint: `${issuer}/device-code`,
    revocation_endpoint: `${issuer}/revoke`,
  };
}

function readProof(proof: string | readonly string[] | undefined): Readonly<Record<string, unknown>> {
  const claims: Readonly<Record<string, unknown>> =
    typeof proof === "string" ? JSON.parse(Buffer.from(proof.split(".")[1] ?? "", "base64url").toString()) : {};
  return claims;
}
