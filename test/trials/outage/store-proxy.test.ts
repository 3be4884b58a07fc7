import { connect, createServer } from "node:net";
import { expect, test } from "vitest";
import { createCommandReader, openStoreProxy } from "./store-proxy.ts";

/** Builds an OP_MSG of `bytes` bytes whose document begins with the command. */
function buildCommand(name: string, bytes = 100): Buffer {
  const message = Buffer.alloc(bytes);
  message.writeInt32LE(bytes, 0);
  message.writeInt32LE(2_013, 12);
  message.writeInt32LE(bytes - 21, 21);
  message[25] = 2;
  message.write(`${name}\0`, 26, "latin1");
  return message;
}

const stream = Buffer.concat([
  buildCommand("hello", 40),
  buildCommand("find"),
  buildCommand("insert", 70_000),
  buildCommand("getMore", 64),
  buildCommand("find", 65),
]);
const names = ["hello", "find", "insert", "getMore", "find"];

test.each([1, 3, 20, 63, 64, 65, 1_000, 1_000_000])(
  "every command is counted once when the stream comes in pieces of %i bytes",
  (bytes) => {
    const reader = createCommandReader();
    const pieces = Array.from({ length: Math.ceil(stream.byteLength / bytes) }, (_, index) =>
      stream.subarray(index * bytes, (index + 1) * bytes),
    );
    expect(pieces.flatMap((piece) => reader.read(piece))).toEqual(names);
  },
);

test("a message that is no OP_MSG counts as other", () => {
  const compressed = buildCommand("find");
  compressed.writeInt32LE(2_012, 12);
  expect(createCommandReader().read(compressed)).toEqual(["other"]);
});

test("bytes pass both ways unchanged, and commands are counted", async () => {
  const store = createServer((socket) => socket.on("data", (chunk) => socket.write(chunk)));
  await new Promise<void>((resolve) => store.listen(0, "127.0.0.1", resolve));
  const address = store.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const proxy = await openStoreProxy(`mongodb://somebody:secret@127.0.0.1:${port}/?tls=false&directConnection=true`);
  expect(proxy?.url).toMatch(/^mongodb:\/\/somebody:secret@127\.0\.0\.1:\d+\/\?directConnection=true&tls=false$/);
  const caller = connect(Number(new URL(proxy?.url ?? "").port), "127.0.0.1");
  const received: Buffer[] = [];
  const allReceived = new Promise<void>((resolve) =>
    caller.on("data", (chunk: Buffer) => {
      received.push(chunk);
      if (Buffer.concat(received).byteLength === stream.byteLength) resolve();
    }),
  );
  caller.write(stream);
  await allReceived;
  expect(Buffer.concat(received).equals(stream)).toBe(true);
  expect(proxy?.counts()).toEqual(
    new Map([
      ["hello", 1],
      ["find", 2],
      ["insert", 1],
      ["getMore", 1],
    ]),
  );
  caller.destroy();
  await proxy?.close();
  await new Promise((resolve) => store.close(resolve));
});

test("an address with several hosts or a name to resolve gets no proxy", async () => {
  expect(await openStoreProxy("mongodb://one:1,two:2/")).toBeNull();
  expect(await openStoreProxy("mongodb+srv://cluster.example/")).toBeNull();
});
