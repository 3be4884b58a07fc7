import { silentLogger, tokenAlgorithms } from "@sluice/kernel";
import { createTestIssuer, createVirtualTime, tokenAudience as audience } from "@sluice/testkit";
import { decodeProtectedHeader } from "jose";
import { expect, test } from "vitest";
import { coolDownMs, createKeySets, freshMs, KeysAway, keptMs } from "./key-sets.ts";

const token = (kid: string) => ({ header: { alg: "ES256", kid }, input: { payload: "", signature: "" } });

async function open() {
  const time = createVirtualTime({ startAtMs: 0 });
  const [former, next] = [await createTestIssuer(() => 0), await createTestIssuer(() => 0, "https://login.example", "two")];
  const server = { text: former.keySet, isAway: false, asked: 0 };
  const issuer = { issuer: former.issuer, audience, algorithms: tokenAlgorithms, keys: { kind: "file", path: "" } } as const;
  async function load(): Promise<string> {
    server.asked += 1;
    if (server.isAway) throw new Error("away");
    return await Promise.resolve(server.text);
  }
  const keySets = createKeySets({ time, logger: silentLogger, load });
  const find = async (kid: string): Promise<boolean> => {
    const { header, input } = token(kid);
    try {
      return (await keySets.keyFor(issuer)(header, input)) !== undefined;
    } catch (error) {
      if (error instanceof KeysAway) throw error;
      return false;
    }
  };
  return { time, server, next, find, look: () => keySets.look(issuer) };
}

test("keys are read once by all who need them, and again after a while, while the former ones still count", async () => {
  const { time, server, find } = await open();
  expect([await Promise.all([find("one"), find("one")]), server.asked]).toEqual([[true, true], 1]);
  await time.advance(freshMs - 1);
  expect([await find("one"), server.asked]).toEqual([true, 1]);
  await time.advance(1);
  expect([await find("one"), server.asked]).toEqual([true, 2]);
});

test("I15: a token with an unknown key has them read again, but not more often than the cool-down allows", async () => {
  const { time, server, find, next } = await open();
  await find("one");
  server.text = next.keySet;
  expect([await find("two"), server.asked]).toEqual([false, 1]);
  await time.advance(coolDownMs);
  expect([await find("two"), server.asked]).toEqual([true, 2]);
  expect([await find("one"), server.asked]).toEqual([false, 2]);
  for (let index = 0; index < 100; index += 1) await find(`key-${index}`);
  expect(server.asked).toBe(2);
});

test("while the server of the keys is away the former ones count for an hour, and then nothing does", async () => {
  const { time, server, find } = await open();
  await find("one");
  server.isAway = true;
  await time.advance(keptMs - 1);
  expect(await find("one")).toBe(true);
  await time.advance(coolDownMs);
  await expect(find("one")).rejects.toThrow(KeysAway);
  server.isAway = false;
  await time.advance(coolDownMs);
  expect(await find("one")).toBe(true);
});

test("a look has the keys read before anybody needs them, and again once they are due, but within the cool-down", async () => {
  const { time, server, look } = await open();
  expect([look(), server.asked]).toEqual([false, 1]);
  await time.advance(freshMs - 1);
  expect([look(), server.asked]).toEqual([false, 1]);
  server.isAway = true;
  await time.advance(1);
  expect([look(), server.asked]).toEqual([false, 2]);
  await time.advance(coolDownMs - 1);
  expect([look(), server.asked]).toEqual([true, 2]);
  server.isAway = false;
  await time.advance(1);
  expect([look(), server.asked]).toEqual([true, 3]);
  await time.advance(1);
  expect([look(), server.asked]).toEqual([false, 3]);
});

test.each(["", "{}", '{"keys":{}}', `{"keys":[${"{},".repeat(100)}{}]}`, `{"keys":[],"more":"${"x".repeat(65_536)}"}`])(
  "what is no key set changes nothing: %.40s",
  async (text) => {
    const { server, find } = await open();
    server.text = text;
    await expect(find("one")).rejects.toThrow(KeysAway);
  },
);

test("a symmetric or a private key in the set is none", async () => {
  const { server, find } = await open();
  const [key] = (JSON.parse(server.text) as { readonly keys: readonly object[] }).keys;
  server.text = JSON.stringify({
    keys: [
      { ...key, d: "x" },
      { kty: "oct", k: "AAAA", kid: "one" },
    ],
  });
  expect(await find("one")).toBe(false);
});

test("a token of the fixture names its key", async () => {
  const issuer = await createTestIssuer(() => 0);
  expect(decodeProtectedHeader(await issuer.issue())).toMatchObject({ kid: "one", typ: "at+jwt" });
});
