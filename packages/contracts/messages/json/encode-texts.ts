// UTF-8 of texts that stand one behind the other. A body is put together from texts that are kept; to join them first
// would copy each of them once more.

/** Texts that may need more go another way. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);
const bytesPerUnitMax = 3;

export function encodeTexts(...texts: readonly string[]): Uint8Array {
  const units = texts.reduce((sum, { length }) => sum + length, 0);
  if (units * bytesPerUnitMax > scratch.length) return Buffer.from(texts.join(""));
  let end = 0;
  for (const text of texts) end += scratch.write(text, end);
  return Buffer.from(scratch.subarray(0, end));
}
