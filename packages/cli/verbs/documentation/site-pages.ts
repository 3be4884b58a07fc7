// The pages of the documentation site: every page of the repository under its own path, so that links between pages
// stay as they are.
//
// #1 A link to a folder leads to its README. A link to a file that is no page becomes plain text: the site has no code.
// #2 Code is not touched.

import { posix } from "node:path";

export interface SitePage {
  readonly path: string;
  readonly text: string;
}

/** `pages` has every page of the repository by its path. */
export function toSitePages(pages: ReadonlyMap<string, string>): readonly SitePage[] {
  return [...pages].map(([path, text]) => ({ path: sitePath(path), text: rewriteLinks(path, text, pages) }));
}

/** The README of the repository is the first page. */
function sitePath(path: string): string {
  return path === "README.md" ? "index.md" : path;
}

const link = /\[([^\]\n]+(?:\n[^\]\n]+)?)\]\(([^)\s]+)\)/g;

function rewriteLinks(path: string, text: string, pages: ReadonlyMap<string, string>): string {
  // #2 A label may be code, so only whole blocks are kept apart.
  return text
    .split(/(^```[^]*?^```)/m)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replaceAll(link, (whole: string, label: string, target: string) => rewrite(path, whole, label, target, pages)),
    )
    .join("");
}

/** #1 */
function rewrite(path: string, whole: string, label: string, target: string, pages: ReadonlyMap<string, string>): string {
  if (/^([a-z]+:|#)/.test(target)) return whole;
  const [file = "", anchor] = target.split("#");
  const found = posix.join(posix.dirname(path), file).replace(/\/$/, "");
  const page = [found, `${found}/README.md`].find((one) => pages.has(one));
  if (page === undefined) return label;
  const to = posix.relative(posix.dirname(sitePath(path)), sitePath(page));
  return `[${label}](${to}${anchor === undefined ? "" : `#${anchor}`})`;
}
