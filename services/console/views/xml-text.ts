// Writes XML elements as text that is well-formed whatever their content is.
//
// #1 Characters that XML 1.0 cannot carry (control characters, half a surrogate pair) become U+FFFD; & < > and quotes
//    are escaped.

export type Xml = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: string | readonly Xml[];
};

/** Null children are dropped, so that an optional element can be written in its place. */
export function xmlElement(
  name: string,
  content: string | readonly (Xml | null)[],
  attributes: Readonly<Record<string, string>> = {},
): Xml {
  return { name, attributes, content: typeof content === "string" ? content : content.filter((child) => child !== null) };
}

/** Null if the content is null or empty. */
export function optionalXmlElement(name: string, content: string | null): Xml | null {
  return content === null || content === "" ? null : xmlElement(name, content);
}

export function renderXml({ name, attributes, content }: Xml, indent = ""): string {
  const opening = `${indent}<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escapeXml(value)}"`)
    .join("")}>`;
  if (typeof content === "string") return `${opening}${escapeXml(content)}</${name}>\n`;
  return `${opening}\n${content.map((child) => renderXml(child, `${indent}  `)).join("")}${indent}</${name}>\n`;
}

/** @internal */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll(/[&<>"'\r]/g, (sign) => escapes[sign] ?? sign);
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\r": "&#13;",
};
