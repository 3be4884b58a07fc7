// Answers of the pages: their headers, and what a form brings.

import { readBody } from "@sluice/service";
import type { Html } from "./parts/html.ts";

const formBytesMax = 64 * 1024;

export const security = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
} as const;

export function redirect(location: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status: 303, headers: { ...security, location, ...headers } });
}

export async function htmlResponse(content: Html, status: number, cookies: readonly string[] = []): Promise<Response> {
  const headers = new Headers({ ...security, "content-type": "text/html; charset=utf-8" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(String(await content), { status, headers });
}

/** Browsers say where a form comes from; an answer to another site's form is refused. */
export function isFromHere({ headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  return site === null || site === "same-origin" || site === "none";
}

export async function readForm(request: Request): Promise<URLSearchParams | Response> {
  const read = await readBody(request, formBytesMax);
  return read.ok ? new URLSearchParams(new TextDecoder().decode(read.bytes)) : read.response;
}

/** An address of this console, whatever a link said. */
export function safeNext(given: string | null | undefined): string {
  return typeof given === "string" && /^\/(?![/\\])[ -~]*$/.test(given) ? given : "/";
}
