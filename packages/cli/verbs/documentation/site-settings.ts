// The settings of the documentation site: its parts by reader, and how a page looks. Nothing is fetched from elsewhere
// when a page is read.

import { stringify } from "yaml";

interface SitePart {
  readonly title: string;
  /** Pages in this order; one that ends with `/` is all pages below it. */
  readonly pages: readonly string[];
}

const parts: readonly SitePart[] = [
  {
    title: "Banks",
    pages: [
      "docs/sandbox.md",
      "docs/receiving.md",
      "docs/message-signatures.md",
      "packages/receiver/README.md",
      "docs/api/",
      "packages/testcontainers/README.md",
    ],
  },
  {
    title: "Operators",
    pages: ["docs/runbooks/", "docs/operators-cli.md", "docs/calendars.md", "docs/account-checks.md"],
  },
  { title: "Platform", pages: ["docs/kubernetes.md", "docs/settings.md", "docs/memory-profiles.md", "docs/benchmarks.md", "infra/"] },
  { title: "Contract", pages: ["docs/spec/"] },
  { title: "Look up", pages: ["docs/glossary.md", "errors.md", "changelog.md"] },
  {
    title: "Developers",
    pages: ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/adr/", "packages/", "services/", "test/", "tools/", "avro/", "docs/"],
  },
];

/** The theme's links are too dark on its dark ground: 2.85 to 1, and 4.5 is the least that WCAG 2.2 AA allows. */
export const siteStyle = {
  path: "stylesheets/links.css",
  text: '[data-md-color-scheme="slate"] { --md-typeset-a-color: #9db0ff; }\n',
} as const;

export function siteSettings(pages: readonly string[]): string {
  const left = new Set(pages);
  const take = (wanted: string): readonly string[] => {
    const found = wanted.endsWith("/")
      ? [...left].filter((path) => path.startsWith(wanted)).toSorted(readmeFirst)
      : [...left].filter((path) => path === wanted);
    for (const path of found) left.delete(path);
    return found;
  };
  left.delete("index.md");
  const nav = [{ Sluice: "index.md" }, ...parts.map(({ title, pages: wanted }) => ({ [title]: wanted.flatMap(take) }))];
  return stringify({
    site_name: "Sluice",
    docs_dir: "pages",
    site_dir: "site",
    nav: nav.filter((one) => Object.values(one).some((list) => list.length > 0)),
    use_directory_urls: false,
    theme: {
      font: false,
      features: ["navigation.tabs", "navigation.indexes", "navigation.top", "search.highlight", "content.code.copy"],
      palette: [
        {
          media: "(prefers-color-scheme: light)",
          scheme: "default",
          primary: "custom",
          toggle: { icon: "material/weather-night", name: "Dark" },
        },
        {
          media: "(prefers-color-scheme: dark)",
          scheme: "slate",
          primary: "custom",
          toggle: { icon: "material/weather-sunny", name: "Light" },
        },
      ],
    },
    extra_css: [siteStyle.path],
    plugins: ["search"],
    markdown_extensions: ["tables", "toc", "pymdownx.superfences", "pymdownx.highlight"],
  });
}

/** A folder's README is its first page. */
function readmeFirst(a: string, b: string): number {
  const [readmeA, readmeB] = [a, b].map((path) => (path.endsWith("/README.md") ? path.replace(/README\.md$/, "") : path));
  return (readmeA ?? a) < (readmeB ?? b) ? -1 : 1;
}
