// The documentation site below `/help`: files that `./sluice docs` has built, as they are.
//
// #1 Nothing outside the folder is read, whatever an address says, and no file whose kind is not known here.
// #2 The site's pages have scripts of their own in them. Their policy allows exactly these, each by its hash, and
//    nothing from elsewhere; the console's own policy stays as it is.
// #3 A file is read when it is asked for, so that a site that is built again is shown; at most `fileBytesMax` of it.

import { createHash } from "node:crypto";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";

interface HelpFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** The content security policy that the file is sent with. */
  readonly policy: string;
}

export interface HelpSite {
  /** `path` is what follows `/help/`. Null: there is no such file. */
  read(path: string): HelpFile | null;
}

const fileBytesMax = 8 * 1024 * 1024;
const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  map: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  woff2: "font/woff2",
  xml: "application/xml",
};

export function createHelpSite(folder: string): HelpSite {
  return {
    read(path) {
      const type = types[/\.([a-z0-9]+)$/.exec(path)?.[1] ?? ""];
      if (type === undefined || !isPlain(path)) return null;
      try {
        const [root, file] = [realpathSync(folder), realpathSync(join(folder, path))];
        if (!file.startsWith(`${root}${sep}`) || statSync(file).size > fileBytesMax) return null;
        const bytes = new Uint8Array(readFileSync(file));
        return { bytes, type, policy: policyFor(type, bytes) };
      } catch {
        return null;
      }
    },
  };
}

/** #1 Parts without a dot in front, of letters that every system has in names. */
function isPlain(path: string): boolean {
  return path.split("/").every((part) => /^[A-Za-z0-9_@-][A-Za-z0-9._@-]{0,127}$/.test(part));
}

/** #2 */
function policyFor(type: string, bytes: Uint8Array): string {
  const scripts = type.startsWith("text/html") ? inlineScripts(new TextDecoder().decode(bytes)) : [];
  const hashes = [...new Set(scripts)].map((script) => ` 'sha256-${createHash("sha256").update(script).digest("base64")}'`);
  return [
    "default-src 'none'",
    `script-src 'self'${hashes.join("")}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** What stands in script elements without a source. */
function inlineScripts(html: string): readonly string[] {
  return [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/gi)].flatMap(([, text = ""]) => (text === "" ? [] : [text]));
}
