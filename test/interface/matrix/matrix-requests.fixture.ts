// The requests of the matrix: each address with parts that exist, and a body that who may send it gets through.

import { Agent, request } from "node:https";
import {
  buildCreditsFinal,
  buildCreditTransfer,
  buildDirectDebit,
  buildOffUsDebit,
  buildStatusReport,
  encodeBody,
  type MessageObject,
  sampleToken,
  sampleUetr,
} from "@sluice/testkit";
import type { AskedAddress, MatrixCallers, Shown } from "./matrix-callers.fixture.ts";
import { cellHeader } from "./matrix-listeners.fixture.ts";

const parts: Readonly<Record<string, string>> = {
  uetr: sampleUetr,
  scheme: "ZA_EFT",
  date: "2026-11-20",
  day: "ZA_EFT:2026-11-20",
  bank: "first",
  month: "2026-09",
  letter: "0:7",
  topic: "sluice.journal.v1",
  action: "a-1",
};

const messages: Readonly<Record<string, MessageObject>> = {
  "/transactions/outbound/direct-debit": buildDirectDebit(),
  "/outbound/direct-debit": buildDirectDebit(),
  "/transactions/inbound/direct-debit-response": buildStatusReport(),
  "/inbound/direct-debit-response": buildStatusReport(),
  "/transactions/inbound/credit-transfer-authorisation-response": buildStatusReport(),
  "/transactions/credits-final": buildCreditsFinal(),
  "/scheme/inbound/direct-debit": buildOffUsDebit(),
  "/scheme/inbound/credit-transfer-authorisation": buildCreditTransfer(),
  "/scheme/credits-final": buildCreditsFinal(),
};

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The address of a row; `asks` is what the row has in its place. */
export function addressOf(route: string, asks?: string): AskedAddress {
  const [method = "", path = ""] = route.split(" ");
  const asked = asks ?? path.replaceAll(/:(\w+)/g, (_, name: string) => parts[name] ?? "").replace("*", "");
  if (method !== "POST") return { method: method === "ALL" ? "PUT" : method, path: asked, body: null };
  const message = messages[path];
  const other = path.endsWith("/file-difference") ? '{"schemes":[{}]}' : '{"reason":"matrix"}';
  return { method, path: asked, body: message === undefined ? encode(other) : encodeBody(message) };
}

export interface MatrixAnswer {
  readonly status: number;
  readonly challenge: string | null;
  readonly location: string | null;
}

interface Session {
  readonly cookie: string;
  readonly formToken: string;
}

/** The status that a page would have that is streamed. */
function readEvent(text: string): number {
  if (!text.startsWith("event: failed")) return 200;
  if (text.includes("There is another page for this.")) return 303;
  return Number(/The console answers (\d{3})/.exec(text)?.[1] ?? 500);
}

export function openAsking({ authority, ways }: MatrixCallers) {
  const agents = new Map<string, Agent>();
  const sessions = new Map<string, Promise<Session>>();

  /** One for each certificate that is shown. */
  function agentFor({ certificate }: Shown): Agent {
    const key = certificate?.certificatePem ?? "";
    const shown = certificate === undefined ? {} : { cert: certificate.certificatePem, key: certificate.keyPem };
    const agent = agents.get(key) ?? new Agent({ ca: authority, keepAlive: true, maxSockets: 8, ...shown });
    agents.set(key, agent);
    return agent;
  }

  async function send(port: number, { method, path, body }: AskedAddress, shown: Shown, headers: Readonly<Record<string, string>>) {
    const length = body === null ? {} : { "content-length": String(body.byteLength) };
    return await new Promise<MatrixAnswer & { readonly setCookie: string; readonly text: string }>((resolve, reject) => {
      const agent = agentFor(shown);
      const asked = request({ host: "127.0.0.1", port, agent, method, path, headers: { ...length, ...headers, ...shown.headers } });
      asked.on("error", reject);
      asked.on("response", (answer) => {
        const {
          "content-type": type = "",
          "set-cookie": cookies = [],
          location = null,
          "www-authenticate": challenge = null,
        } = answer.headers;
        const chunks: Buffer[] = [];
        const end = (): void => {
          const setCookie = cookies[0]?.split(";")[0] ?? "";
          resolve({ status: answer.statusCode ?? 0, challenge, location, setCookie, text: Buffer.concat(chunks).toString() });
        };
        // A stream has no end, and says in its first event what it cannot show.
        if (type.startsWith("text/event-stream")) {
          answer.once("data", (chunk: Buffer) => {
            answer.destroy();
            resolve({ status: readEvent(chunk.toString()), challenge, location, setCookie: "", text: "" });
          });
          return;
        }
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", end);
        answer.on("error", reject);
      });
      asked.end(body ?? undefined);
    });
  }

  /** Signs in once, and takes the token of the session's forms from the first page that shows one to the operator. */
  function sessionOf(port: number, operator: string): Promise<Session> {
    const found = sessions.get(operator) ?? openSession(port, operator);
    sessions.set(operator, found);
    return found;
  }

  async function openSession(port: number, operator: string): Promise<Session> {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const asked = { method: "POST", path: "/sign-in", body: encode(`token=${sampleToken(operator)}`) };
    const { setCookie: cookie } = await send(port, asked, {}, form);
    for (const path of ["/", "/calendar"]) {
      const { text } = await send(port, { method: "GET", path, body: null }, {}, { cookie });
      const formToken = /name="formToken" value="(\w+)"/.exec(text)?.[1];
      if (formToken !== undefined) return { cookie, formToken };
    }
    return { cookie, formToken: "" };
  }

  async function asPage(port: number, address: AskedAddress, shown: Shown): Promise<[AskedAddress, Readonly<Record<string, string>>]> {
    const session = shown.session === undefined ? null : await sessionOf(port, shown.session);
    const headers = session === null ? {} : { cookie: session.cookie };
    if (address.method !== "POST") return [address, headers];
    const other = shown.form === "other-session" ? await sessionOf(port, "reader") : null;
    const formToken = shown.form === "no-token" ? "" : (other ?? session)?.formToken;
    const fields = { reason: "matrix", token: shown.token ?? "", formToken: address.path === "/sign-out" ? "" : (formToken ?? "") };
    const site = { "sec-fetch-site": shown.form === "other-site" ? "cross-site" : "same-origin" };
    const body = encode(new URLSearchParams(fields).toString());
    return [
      { ...address, body },
      { ...headers, ...site, "content-type": "application/x-www-form-urlencoded" },
    ];
  }

  return {
    /** Asks once; `cell` names the request. */
    async ask(listener: string, port: number, address: AskedAddress, way: string, cell: string): Promise<MatrixAnswer> {
      const shown = (await ways[way]?.(address)) ?? {};
      const json: Readonly<Record<string, string>> = address.body === null ? {} : { "content-type": "application/json" };
      const [asked, headers] = listener === "pages" ? await asPage(port, address, shown) : [address, json];
      return await send(port, asked, shown, { ...headers, [cellHeader]: cell });
    },
    close: () => agents.forEach((agent) => agent.destroy()),
  };
}
