// Reads the body of a request or an answer up to a bound and no further.

export type BodyRead =
  | { readonly kind: "whole"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "too-long" }
  /** The body broke off. */
  | { readonly kind: "cut" };

export async function readBounded({ body, headers }: Pick<Request, "body" | "headers">, bytesMax: number): Promise<BodyRead> {
  if (Number(headers.get("content-length")) > bytesMax) {
    await body?.cancel().catch(() => undefined);
    return { kind: "too-long" };
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body ?? []) {
      length += chunk.byteLength;
      // Leaving the loop cancels the stream.
      if (length > bytesMax) return { kind: "too-long" };
      chunks.push(chunk);
    }
  } catch {
    return { kind: "cut" };
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return { kind: "whole", bytes };
}
