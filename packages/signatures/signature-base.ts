// The text that is signed (RFC 9421, section 2.5): a line for each covered component, and one for the parameters. Pure.

import { type InnerList, type Item, type Parameters, serializeInnerList, serializeItem } from "structured-headers";

/** What of a request can be signed besides its body. */
export interface RequestHead {
  readonly method: string;
  /** The whole address under which the caller reaches us, or under which we reach it. */
  readonly url: URL;
  /** False: only the sender of the request says its host, so that `@target-uri` and `@authority` cannot be covered. */
  readonly isOriginKnown: boolean;
  /** Takes a name in lower case; null: there is no such header. */
  header(name: string): string | null;
}

export interface CoveredComponent {
  readonly item: Item;
  readonly value: string;
}

export function componentItem(name: string, parameters: Parameters = new Map()): Item {
  return [name, parameters];
}

export interface SignatureBase {
  readonly text: string;
  /** What `signature-input` has of it. */
  readonly input: InnerList;
}

export function buildSignatureBase(components: readonly CoveredComponent[], parameters: Parameters): SignatureBase {
  const input: InnerList = [components.map(({ item }) => item), parameters];
  const lines = components.map(({ item, value }) => `${serializeItem(item)}: ${value}`);
  return { text: [...lines, `"@signature-params": ${serializeInnerList(input)}`].join("\n"), input };
}

/** The value of a component of a request; null: the request has none, or it is none that can be covered. */
export function readComponent(name: string, head: RequestHead): string | null {
  const { method, url, isOriginKnown } = head;
  switch (name) {
    case "@method":
      return method;
    case "@target-uri":
      return isOriginKnown ? url.href : null;
    case "@authority":
      return isOriginKnown ? url.host : null;
    case "@path":
      return url.pathname;
    case "@query":
      return url.search === "" ? "?" : url.search;
    default:
      return /^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(name) ? head.header(name) : null;
  }
}
