// zstd for record batches, with one native context per direction for the whole process. zlib's own functions make a
// context and an output buffer per call: 20 to 30 µs and a stream's garbage for a batch of 2 KB, which takes 4 µs to
// compress and 2 µs to decompress.
//
// #1 The contexts are zlib's, driven as its one-shot functions drive them. These are Node internals; the test fails if
//    a Node lacks them.
// #2 A context that has met an error is discarded, because its state is unknown.
// #3 Decompressed bytes are bounded and returned in a buffer of exactly their size.

import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";

/** The parts of zlib's stream around a native context that are used. */
interface Context {
  /** After a write: bytes of output space left, and bytes of input not read. */
  readonly _writeState: Readonly<Uint32Array>;
  readonly _handle: {
    reset(): void;
    writeSync(flush: number, input: Uint8Array, from: number, length: number, output: Uint8Array, at: number, room: number): void;
  };
}

const zstdLevel = 1;
const decompressedBytesMax = 64 * 1024 * 1024;
const roomFirstBytes = 64 * 1024;
/** Size above which the output buffer is not kept for the next batch. */
const roomKeptBytes = 1024 * 1024;

let compressing: Context | null = null;
let decompressing: Context | null = null;
/** The error of the current write, reported by its context. */
let failure: Error | null = null;
let keptRoom: Buffer = Buffer.allocUnsafeSlow(roomFirstBytes);

/** Returns the most that this many bytes can become, rounded up from ZSTD_compressBound. */
export function compressedBytesMax(bytes: number): number {
  return bytes + (bytes >>> 7) + 512;
}

/**
 * Compresses into `output` from `at` on, where `compressedBytesMax` bytes must be free. Returns how many bytes were
 * written.
 */
export function compressInto(input: Uint8Array, output: Uint8Array, at: number): number {
  const context = compressing ?? openContext(createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: zstdLevel } }));
  compressing = null;
  const left = write(context, input, 0, output, at);
  if (left.room === 0 || left.input > 0) throw new Error("zstd: no room for the compressed bytes");
  compressing = context;
  return output.length - left.room - at;
}

export function compress(input: Uint8Array): Buffer {
  const room = Buffer.allocUnsafeSlow(compressedBytesMax(input.length));
  return room.subarray(0, compressInto(input, room, 0));
}

/** Decompresses whole frames. Refuses other bytes, and frames that would fill the memory. */
export function decompress(input: Uint8Array): Buffer {
  const context = decompressing ?? openContext(createZstdDecompress());
  decompressing = null;
  // Without a reset, a used context does not notice that a frame ends after its first bytes.
  context._handle.reset();
  let room = keptRoom;
  let left = write(context, input, 0, room, 0);
  while (left.room === 0) {
    if (room.length >= decompressedBytesMax) throw tooLarge();
    const written = room.length;
    room = Buffer.concat([room], written * 2);
    left = write(context, input, input.length - left.input, room, written);
  }
  if (left.input > 0) throw new Error("zstd: bytes that are no frame");
  decompressing = context;
  if (room.length <= roomKeptBytes) keptRoom = room;
  const own = Buffer.allocUnsafeSlow(room.length - left.room);
  room.copy(own);
  return own;
}

function write({ _handle, _writeState }: Context, input: Uint8Array, from: number, output: Uint8Array, at: number) {
  failure = null;
  _handle.writeSync(constants.ZSTD_e_end, input, from, input.length - from, output, at, output.length - at);
  if (failure !== null) throw failure;
  const [room = 0, unread = 0] = _writeState;
  return { room, input: unread };
}

function tooLarge(): Error {
  return Object.assign(new RangeError(`zstd: more than ${decompressedBytesMax} bytes`), { code: "ERR_BUFFER_TOO_LARGE" });
}

function openContext(stream: unknown): Context {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- #1
  const context = stream as Context;
  const onerror = (message: string, errno: number, code: string): void => {
    failure = Object.assign(new Error(`zstd: ${message}`), { errno, code });
  };
  Object.assign(context._handle, { onerror });
  return context;
}
