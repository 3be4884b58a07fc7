// A stand-in for Vault's transit engine, for tests: the part of its API that `vault-keys.ts` uses, with Vault's
// answers.

import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

interface NamedKey {
  readonly bytes: Buffer;
  isDeletable: boolean;
}
interface Answer {
  readonly status: number;
  readonly data?: object;
}

export const standInToken = "test-token";

/** Resolves with the address; closing ends it. */
export async function startTransit(): Promise<{
  readonly url: string;
  readonly close: () => Promise<void>;
  readonly answers: { status: number | null };
}> {
  const keys = new Map<string, NamedKey>();
  /** The status of every answer; null: as they come. */
  const answers: { status: number | null } = { status: null };

  function answer(method: string, path: string, body: Record<string, unknown>): Answer {
    const [area = "", ...rest] = path.split("/");
    if (path === "keys?list=true") return keys.size === 0 ? { status: 404 } : { status: 200, data: { keys: [...keys.keys()].toSorted() } };
    const name = area === "datakey" ? (rest[1] ?? "") : (rest[0] ?? "");
    const key = keys.get(name);
    if (area === "keys" && method === "POST" && rest.length === 1) {
      if (key === undefined) keys.set(name, { bytes: randomBytes(32), isDeletable: false });
      return { status: 200, data: { name } };
    }
    if (key === undefined) return { status: area === "keys" ? 404 : 400 };
    if (area === "keys") return answerKey(method, name, key, rest[1]);
    if (area === "datakey") {
      const plain = randomBytes(32);
      return { status: 200, data: { plaintext: plain.toString("base64"), ciphertext: encrypt(key, plain) } };
    }
    if (area === "hmac") {
      const hmac = createHmac("sha256", key.bytes)
        .update(Buffer.from(String(body["input"]), "base64"))
        .digest("base64");
      return { status: 200, data: { hmac: `vault:v1:${hmac}` } };
    }
    const asked: readonly unknown[] = Array.isArray(body["batch_input"]) ? body["batch_input"] : [];
    const results = asked.map((one) => decrypt(key, String(new Map(Object.entries(Object(one))).get("ciphertext"))));
    return { status: results.some((one) => "error" in one) ? 400 : 200, data: { batch_results: results } };
  }

  function answerKey(method: string, name: string, key: NamedKey, part: string | undefined): Answer {
    if (method === "GET") return { status: 200, data: { name } };
    if (method === "DELETE") {
      if (!key.isDeletable) return { status: 400 };
      keys.delete(name);
      return { status: 204 };
    }
    if (part === "config") key.isDeletable = true;
    return { status: 200, data: {} };
  }

  const server = createServer((request, response) => {
    void reply();
    async function reply(): Promise<void> {
      const body = await read(request);
      const isAllowed = request.headers["x-vault-token"] === standInToken;
      const path = (request.url ?? "").replace("/v1/transit/", "");
      const { status, data } = isAllowed ? answer(request.method ?? "", path, body) : { status: 403, data: undefined };
      response.writeHead(answers.status ?? status, { "content-type": "application/json" });
      response.end(data === undefined ? '{"errors":[]}' : JSON.stringify({ data }));
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => void server.close(() => resolve())), answers };
}

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString();
  const parsed: Record<string, unknown> = text === "" ? {} : JSON.parse(text);
  return parsed;
}

function encrypt({ bytes }: NamedKey, plain: Buffer): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", bytes, nonce);
  return `vault:v1:${Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString("base64")}`;
}

function decrypt({ bytes }: NamedKey, text: string): { plaintext: string } | { error: string } {
  const all = Buffer.from(text.replace("vault:v1:", ""), "base64");
  try {
    const decipher = createDecipheriv("aes-256-gcm", bytes, all.subarray(0, 12));
    decipher.setAuthTag(all.subarray(all.length - 16));
    return { plaintext: Buffer.concat([decipher.update(all.subarray(12, all.length - 16)), decipher.final()]).toString("base64") };
  } catch {
    return { error: "invalid ciphertext: unable to decrypt" };
  }
}
