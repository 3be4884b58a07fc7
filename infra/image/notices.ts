// The licence texts of installed packages, as one text.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface LicenceText {
  readonly name: string;
  readonly version: string;
  /** As the package names it. */
  readonly licence: string;
  readonly purl: string;
  /** Null: the package brings no text. */
  readonly text: string | null;
}

const textFile = /^(licen[cs]e|notice|copying)([-.].*)?$/i;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: unknown;
}

/** `folder` is that of an installed package. */
export function readNotice(folder: string): LicenceText {
  const { name, version, license }: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => textFile.test(file));
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), "utf8").trim());
  return {
    name,
    version,
    licence: typeof license === "string" ? license : "named in its text",
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    text: texts.length === 0 ? null : texts.join("\n\n"),
  };
}

export function renderNotices(notices: readonly LicenceText[]): string {
  const parts = notices
    .toSorted((a, b) => (a.purl < b.purl ? -1 : a.purl > b.purl ? 1 : 0))
    .map(({ name, version, licence, text }) => {
      const line = "=".repeat(78);
      return `${line}\n${name} ${version}\n${licence}\n${line}\n\n${text ?? "The package brings no text of its licence."}\n`;
    });
  return `The image has these packages and programs of others, under their licences.\n\n${parts.join("\n")}`;
}
