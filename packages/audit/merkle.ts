// The root of a Merkle tree as in RFC 6962: leaves and nodes are hashed with different first bytes, so that no node can
// be shown as a leaf.

import { createHash } from "node:crypto";

const leafMark = Buffer.of(0);
const nodeMark = Buffer.of(1);

/** The root over the texts of the leaves, hex; without a leaf it is the hash of nothing. */
export function merkleRoot(leaves: readonly string[]): string {
  if (leaves.length === 0) return createHash("sha256").digest("hex");
  let level = leaves.map((leaf) => hash(leafMark, Buffer.from(leaf)));
  while (level.length > 1) {
    const above: Buffer[] = [];
    for (let at = 0; at < level.length; at += 2) {
      const [left, right] = [level[at]!, level[at + 1]];
      // A node without a sibling goes up as it is.
      above.push(right === undefined ? left : hash(nodeMark, left, right));
    }
    level = above;
  }
  return level[0]!.toString("hex");
}

function hash(...parts: readonly Buffer[]): Buffer {
  const digest = createHash("sha256");
  for (const part of parts) digest.update(part);
  return digest.digest();
}
