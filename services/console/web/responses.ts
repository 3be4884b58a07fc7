// Answers of the pages: their headers, and what a form brings.

import { fromFetch, problemResponse, readBody } from "@sluice/service";
import { controlBodyBytesMax } from "../http/control-handler.ts";
import type { Html } from "./parts/html.ts";

export const formBytesMax = 64 * 1024;
/** A form with a file has its text twice at most: what is in the page, and the file that is chosen in its place. */
export const fileFormBytesMax = 2 * controlBodyBytesMax + 16 * 1024;

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

/** Reads a form; of a file its text. */
export async function readForm(request: Request, bytesMax = formBytesMax): Promise<URLSearchParams | Response> {
  const read = await readBody(fromFetch(request), bytesMax);
  if (!read.ok) return read.response;
  const type = request.headers.get("content-type") ?? "";
  return /^multipart\/form-data\b/i.test(type)
    ? await readParts(read.bytes, type)
    : new URLSearchParams(new TextDecoder().decode(read.bytes));
}

async function readParts(bytes: Uint8Array, type: string): Promise<URLSearchParams | Response> {
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData().catch(() => null);
  if (form === null) return problemResponse(400, "Not a form", "The form cannot be read. Open the page again.");
  const fields = new URLSearchParams();
  for (const [name, value] of form) fields.append(name, typeof value === "string" ? value : await value.text());
  return fields;
}

/** An address of this console, whatever a link said. */
export function safeNext(given: string | null | undefined): string {
  return typeof given === "string" && /^\/(?![/\\])[ -~]*$/.test(given) ? given : "/";
}
