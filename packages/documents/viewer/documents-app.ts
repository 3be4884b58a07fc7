// Serves the public documents over HTTP: /openapi.json, and /docs, which renders it with Swagger UI from this process.
//
// #1 Nothing is loaded from elsewhere: the viewer's files are the installed ones, and the content security policy
//    allows no other source.
// #2 The page only reads: it sends no requests to the interface, holds no token, and cannot be framed.
// #3 Each file is read once, at its first request; there are few. Each answer has an ETag. The document is
//    read when the app is made, because parsing it would hold up other requests.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Hono } from "hono";
import { readDocument } from "../read-document.ts";

export interface DocumentsApp {
  /** The paths that it answers, for GET and HEAD only. */
  readonly paths: readonly string[];
  /** Tells whether it has an answer to this path and method. */
  isServed(request: Request): boolean;
  /** Returns null for another path or another method. */
  fetch(request: Request): Promise<Response | null>;
}

interface Page {
  readonly type: string;
  readonly read: () => Promise<Uint8Array>;
  /** Whether a client may keep it for a day without asking: the viewer is large, and its version is fixed. */
  readonly isKept?: true;
}

const viewer = (file: string) => () => readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`));
const own = (path: string) => () => readFile(new URL(path, import.meta.url));
const script = "text/javascript; charset=utf-8";

const files: Readonly<Record<string, Page>> = {
  "/docs": { type: "text/html; charset=utf-8", read: own("page.html") },
  "/docs/viewer.js": { type: script, read: own("start.js") },
  "/docs/viewer.css": { type: "text/css; charset=utf-8", read: own("page.css") },
  "/docs/swagger-ui-bundle.js": { type: script, read: viewer("swagger-ui-bundle.js"), isKept: true },
  "/docs/swagger-ui.css": { type: "text/css; charset=utf-8", read: viewer("swagger-ui.css"), isKept: true },
};

const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-cache",
} as const;

const keptForADay = "public, max-age=86400";

export function createDocumentsApp(): DocumentsApp {
  const app = new Hono();
  const kept = new Map<string, Promise<Kept>>();
  const openApi = new TextEncoder().encode(readDocument("openapi"));
  const pages: Readonly<Record<string, Page>> = {
    "/openapi.json": { type: "application/json; charset=utf-8", read: () => Promise.resolve(openApi) },
    ...files,
  };
  const paths = Object.keys(pages);
  for (const [path, page] of Object.entries(pages)) {
    app.get(path, async (context) => {
      const { bytes, etag } = await keep(kept, path, page);
      const isKnown = context.req.header("if-none-match") === etag;
      return new Response(isKnown ? null : bytes, {
        status: isKnown ? 304 : 200,
        headers: {
          ...headers,
          ...(page.isKept === true ? { "cache-control": keptForADay } : {}),
          ...(isKnown ? {} : { "content-length": String(bytes.byteLength) }),
          etag,
          "content-type": page.type,
        },
      });
    });
  }
  function isServed(request: Request): boolean {
    const isRead = request.method === "GET" || request.method === "HEAD";
    return isRead && paths.includes(new URL(request.url).pathname);
  }
  return { paths, isServed, fetch: async (request) => (isServed(request) ? await app.fetch(request) : null) };
}

interface Kept {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** #3: a file that could not be read is tried again at the next request. */
function keep(kept: Map<string, Promise<Kept>>, path: string, page: Page): Promise<Kept> {
  const found = kept.get(path);
  if (found !== undefined) return found;
  const reading = page.read().then((read) => {
    const bytes = new Uint8Array(read);
    return { bytes, etag: `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"` };
  });
  kept.set(path, reading);
  reading.catch(() => kept.delete(path));
  return reading;
}
