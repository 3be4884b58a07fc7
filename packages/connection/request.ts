// One bounded HTTP request to a server that we need, such as the registry or an endpoint that issues tokens.
//
// #1 Each request has a connection of its own, so that it uses the newest certificate and authorities. Such requests
//    are rare: some at a start, and then one for a schema or a token that is new.
// #2 No error repeats a header or a body, because they may hold a secret.

import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { SecureContext } from "node:tls";
import type { Time } from "@sluice/kernel";

export interface TextRequest {
  readonly url: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For https; Node's default context where it is not given. */
  readonly secureContext?: SecureContext;
  readonly time: Time;
  readonly timeoutMs: number;
}

export interface TextAnswer {
  readonly status: number;
  readonly body: string;
}

const answerBytesMax = 4 * 1024 * 1024;

/** Rejects where no whole answer came within `timeoutMs`. */
export function requestText({ url, method, headers, body = "", secureContext, time, timeoutMs }: TextRequest): Promise<TextAnswer> {
  return new Promise<TextAnswer>((resolve, reject) => {
    const isHttps = url.startsWith("https:");
    const tls = isHttps ? { rejectUnauthorized: true, ...(secureContext === undefined ? {} : { secureContext }) } : {};
    const length = method === "GET" ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const asked = (isHttps ? requestHttps : requestHttp)(url, { method, agent: false, headers: { ...headers, ...length }, ...tls });
    const timer = time.after(timeoutMs, () => asked.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    const end = (finish: () => void): void => {
      timer[Symbol.dispose]();
      finish();
    };
    asked.once("error", (error) => end(() => reject(error)));
    asked.once("response", (answer) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > answerBytesMax) asked.destroy(new Error(`an answer of more than ${answerBytesMax} bytes`));
        else chunks.push(chunk);
      });
      answer.once("error", (error) => end(() => reject(error)));
      answer.once("end", () => end(() => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") })));
    });
    asked.end(method === "GET" ? undefined : body);
  });
}
