// zstd for record batches, with one native context each way for the whole process. zlib's own functions make a context and an output buffer for
// every call: 20 to 30 µs and the garbage of a stream for a batch of 2 KB, which takes 4 µs to compress and 2 µs to decompress.
//
// 1. The contexts are zlib's, driven as its own functions for one call drive them. That is inside Node; the test says when a Node has it no longer.
// 2. A context that has met an error is thrown away: nobody knows what it holds.
// 3. What is decompressed has a bound, and is handed on in a buffer of its own, of as many bytes as it has.

import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";

/** zlib's stream around a native context, as far as it is used. */
interface Context {
  /** After a write: how much of the room for output was not used, how much of the input was not read. */
  readonly _writeState: Readonly<Uint32Array>;
  readonly _handle: {
    reset(): void;
    writeSync(flush: number, input: Uint8Array, from: number, length: number, output: Uint8Array, at: number, room: number): void;
  };
}

const zstdLevel = 1;
const decompressedBytesMax = 64 * 1024 * 1024;
const roomFirstBytes = 64 * 1024;
/** A larger room for output is not kept for the next batch. */
const roomKeptBytes = 1024 * 1024;

let compressing: Context | null = null;
let decompressing: Context | null = null;
/** Of the write that is under way; said by its context. */
let failure: Error | null = null;
let keptRoom: Buffer = Buffer.allocUnsafeSlow(roomFirstBytes);

/** What so many bytes become at most, rounded up from ZSTD_compressBound. */
export function compressedBytesMax(bytes: number): number {
  return bytes + (bytes >>> 7) + 512;
}

/** Compresses to `output` from `at` on, where `compressedBytesMax` bytes have to be free, and answers how many were written. */
export function compressInto(input: Uint8Array, output: Uint8Array, at: number): number {
  const context = compressing ?? contextOf(createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: zstdLevel } }));
  compressing = null;
  const left = write(context, input, 0, output, at);
  if (left.room === 0 || left.input > 0) throw new Error("zstd: no room for the compressed bytes");
  compressing = context;
  return output.length - left.room - at;
}

export function compressed(input: Uint8Array): Buffer {
  const room = Buffer.allocUnsafeSlow(compressedBytesMax(input.length));
  return room.subarray(0, compressInto(input, room, 0));
}

/** Bytes that are not whole frames are refused, and so is what would fill the memory. */
export function decompressed(input: Uint8Array): Buffer {
  const context = decompressing ?? contextOf(createZstdDecompress());
  decompressing = null;
  // Without it a context that was used does not see that the first bytes of a frame are all there is.
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

function contextOf(stream: unknown): Context {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- 1
  const context = stream as Context;
  const onerror = (message: string, errno: number, code: string): void => {
    failure = Object.assign(new Error(`zstd: ${message}`), { errno, code });
  };
  Object.assign(context._handle, { onerror });
  return context;
}
