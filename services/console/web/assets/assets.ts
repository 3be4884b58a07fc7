// The files that pages load: one style sheet, one script, one icon. They are read once, when the app is made.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

const files = {
  "console.css": "text/css; charset=utf-8",
  "console.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
} as const;

export function readAssets(): ReadonlyMap<string, Asset> {
  return new Map(
    Object.entries(files).map(([name, type]) => {
      const bytes = new Uint8Array(readFileSync(new URL(name, import.meta.url)));
      const etag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}"`;
      return [`/assets/${name}`, { type, bytes, etag }];
    }),
  );
}
