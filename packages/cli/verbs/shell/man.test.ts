import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { verbs } from "../../verbs.fixture.ts";
import { formatManPage } from "./man-page.ts";

const page = formatManPage(verbs);
const lines = page.trimEnd().split("\n");

test("the page has the sections of a manual page, in their order", () => {
  expect(lines[0]).toBe(".TH SLUICE 1");
  expect(lines.filter((line) => line.startsWith(".SH "))).toEqual(
    ["NAME", "SYNOPSIS", "VERBS", "EXIT STATUS", "ENVIRONMENT", "FILES"].map((name) => `.SH ${name}`),
  );
});

test.each(verbs.map((verb) => [verb.name, verb] as const))("the page has %s with each of its options", (name, { options, summary }) => {
  const escaped = (text: string): string => text.replaceAll("-", String.raw`\-`);
  const [, own = ""] = `${page}.SH`.split(`.SS ${escaped(name)}\n`);
  const [section = ""] = own.split(/^\.S[SH]/m);
  expect(section).toContain(escaped(summary));
  for (const option of Object.keys(options)) expect(section).toContain(`\n.TP\n\\fB${escaped(`--${option}`)}`);
});

test("the page is ASCII, and no line of text is a request of roff by accident", () => {
  expect(page).toMatch(/^[\n -~]*$/);
  const requests = new Set(lines.filter((line) => /^[.']/.test(line)).map((line) => line.split(" ")[0]));
  expect(requests).toEqual(new Set([".EE", ".EX", ".PP", ".SH", ".SS", ".TH", ".TP", ".hy", ".nh"]));
});

test("groff, where it is installed, formats the page without a warning", () => {
  if (spawnSync("groff", ["--version"]).status !== 0) return;
  const { status, stdout, stderr } = spawnSync("groff", ["-man", "-Tutf8", "-ww", "-P-c"], { input: page, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  // A letter in bold is written twice, one over the other.
  const read = stdout.replaceAll(/.[\b]/g, "");
  expect(read).toContain("./sluice logs dispatcher --level warn --since 10m");
  expect(read).toContain("[SERVICE…]");
});
