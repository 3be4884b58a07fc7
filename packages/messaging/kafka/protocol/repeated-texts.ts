// Short texts that come again and again: names of topics and headers, types of records, receivers. Each record has
// several, and to decode one natively costs more than to compare its bytes with those of the text that came before.
//
// #1 A text has one place, by its length and three of its bytes. A text that finds another one there takes its place,
//    so memory is bounded by `placesCount` texts of `commonTextBytesMax` bytes.
// #2 Text that differs from record to record finds another one each time, and costs the comparison of a byte or two.

/** Bytes of the longest text that is kept. */
export const commonTextBytesMax = 32;

/** A power of two. */
const placesCount = 1_024;

interface CommonText {
  readonly bytes: Uint8Array;
  readonly text: string;
}

const places: (CommonText | undefined)[] = Array.from({ length: placesCount });

/** Decodes UTF-8 text of at most `commonTextBytesMax` bytes from `from` up to `to`. */
export function findCommonText(source: Buffer, from: number, to: number): string {
  const length = to - from;
  if (length === 0) return "";
  const place = placeOf(source, from, length);
  const known = places[place];
  if (known !== undefined && known.bytes.length === length && isEqual(known.bytes, source, from)) return known.text;
  const made = { bytes: Uint8Array.from(source.subarray(from, to)), text: source.toString("utf8", from, to) };
  places[place] = made;
  return made.text;
}

/** #1 */
function placeOf(source: Uint8Array, from: number, length: number): number {
  const first = source[from] ?? 0;
  const middle = source[from + (length >> 1)] ?? 0;
  const last = source[from + length - 1] ?? 0;
  return (((length * 33 + first) * 33 + middle) * 33 + last) & (placesCount - 1);
}

function isEqual(kept: Uint8Array, source: Uint8Array, from: number): boolean {
  // From the end: texts of one kind begin alike.
  for (let at = kept.length - 1; at >= 0; at -= 1) if (kept[at] !== source[from + at]) return false;
  return true;
}
