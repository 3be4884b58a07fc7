import { connect, createServer } from "node:net";
import { expect, test } from "vitest";
import { createCommandReader, watchStore } from "./store-watch.ts";

/** An OP_MSG whose document begins with that command, `bytes` long altogether. */
function command(name: string, bytes = 100): Buffer {
  const message = Buffer.alloc(bytes);
  message.writeInt32LE(bytes, 0);
  message.writeInt32LE(2_013, 12);
  message.writeInt32LE(bytes - 21, 21);
  message[25] = 2;
  message.write(`${name}\0`, 26, "latin1");
  return message;
}

const stream = Buffer.concat([
  command("hello", 40),
  command("find"),
  command("insert", 70_000),
  command("getMore", 64),
  command("find", 65),
]);
const names = ["hello", "find", "insert", "getMore", "find"];

test.each([1, 3, 20, 63, 64, 65, 1_000, 1_000_000])("every command is told once, whatever the pieces: %i bytes", (bytes) => {
  const reader = createCommandReader();
  const pieces = Array.from({ length: Math.ceil(stream.byteLength / bytes) }, (_, index) =>
    stream.subarray(index * bytes, (index + 1) * bytes),
  );
  expect(pieces.flatMap((piece) => reader.read(piece))).toEqual(names);
});

test("what is no OP_MSG is other", () => {
  const compressed = command("find");
  compressed.writeInt32LE(2_012, 12);
  expect(createCommandReader().read(compressed)).toEqual(["other"]);
});

test("bytes pass both ways unchanged, and commands are counted", async () => {
  const store = createServer((socket) => socket.on("data", (chunk) => socket.write(chunk)));
  await new Promise<void>((resolve) => store.listen(0, "127.0.0.1", resolve));
  const address = store.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const watch = await watchStore(`mongodb://somebody:secret@127.0.0.1:${port}/?tls=false&directConnection=true`);
  expect(watch?.url).toMatch(/^mongodb:\/\/somebody:secret@127\.0\.0\.1:\d+\/\?directConnection=true&tls=false$/);
  const caller = connect(Number(new URL(watch?.url ?? "").port), "127.0.0.1");
  const back: Buffer[] = [];
  const isBack = new Promise<void>((resolve) =>
    caller.on("data", (chunk: Buffer) => {
      back.push(chunk);
      if (Buffer.concat(back).byteLength === stream.byteLength) resolve();
    }),
  );
  caller.write(stream);
  await isBack;
  expect(Buffer.concat(back).equals(stream)).toBe(true);
  expect(watch?.counts()).toEqual(
    new Map([
      ["hello", 1],
      ["find", 2],
      ["insert", 1],
      ["getMore", 1],
    ]),
  );
  caller.destroy();
  await watch?.close();
  await new Promise((resolve) => store.close(resolve));
});

test("an address with several hosts, or one to be looked up, is not watched", async () => {
  expect(await watchStore("mongodb://one:1,two:2/")).toBeNull();
  expect(await watchStore("mongodb+srv://cluster.example/")).toBeNull();
});
