// Which partition a key belongs to: ours to say, in one place, so that no client moves a key. Murmur2 as the Java client has it.

const seed = 0x9747b28c;
const multiplier = 0x5bd1e995;

/** `partitions` is frozen at provisioning. */
export function partitionOfKey(key: Uint8Array, partitions: number): number {
  return (murmur2(key) & 0x7fffffff) % partitions;
}

/** Signed 32 bits. */
export function murmur2(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tailAt = bytes.length - (bytes.length % 4);
  let hash = seed ^ bytes.length;
  for (let index = 0; index < tailAt; index += 4) {
    let word = Math.imul(view.getInt32(index, true), multiplier);
    word = Math.imul(word ^ (word >>> 24), multiplier);
    hash = Math.imul(hash, multiplier) ^ word;
  }
  if (tailAt < bytes.length) {
    let tail = 0;
    for (let index = bytes.length - 1; index >= tailAt; index -= 1) tail = (tail << 8) | view.getUint8(index);
    hash = Math.imul(hash ^ tail, multiplier);
  }
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
}
