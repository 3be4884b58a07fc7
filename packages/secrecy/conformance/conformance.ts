// What every key service promises, run on each adapter.

import { expect, test } from "vitest";
import type { KeyService } from "../key-service.ts";

/** `open` gives two clients of one empty service, as two processes have. */
export function describeKeyService(open: () => Promise<{ readonly one: KeyService; readonly other: KeyService }>): void {
  test("a data key is 32 bytes, never the same twice, and unwrapped by any client in the order asked", async () => {
    const { one, other } = await open();
    const keys = await Promise.all(
      ["alpha/2026-10", "alpha/2026-11", "beta/2026-11"].map(async (scope) => ({ scope, key: await one.create(scope) })),
    );
    const wrapped = keys.map(({ scope, key }) => ({ scope, wrapped: key!.wrapped }));
    const again = { scope: "alpha/2026-10", key: await one.create("alpha/2026-10") };
    const opened = await other.unwrap([...wrapped, { scope: again.scope, wrapped: again.key!.wrapped }]);
    expect(opened.map((plain) => Buffer.from(plain!).toString("hex"))).toEqual(
      [...keys, again].map(({ key }) => Buffer.from(key!.plain).toString("hex")),
    );
    expect(new Set([...keys, again].map(({ key }) => Buffer.from(key!.plain).toString("hex"))).size).toBe(4);
    expect(keys.map(({ key }) => key!.plain.length)).toEqual([32, 32, 32]);
  });

  test("two clients that ask for the first key of a scope at once share the scope's key", async () => {
    const { one, other } = await open();
    const made = await Promise.all([one, other, one, other].map((service) => service.create("alpha/2026-11")));
    const wrapped = made.map((key) => ({ scope: "alpha/2026-11", wrapped: key!.wrapped }));
    for (const service of [one, other]) {
      expect((await service.unwrap(wrapped)).map((plain) => Buffer.from(plain!))).toEqual(made.map((key) => Buffer.from(key!.plain)));
    }
  });

  test("a key that another scope wrapped, or nobody, is refused for good", async () => {
    const { one } = await open();
    await one.create("beta/2026-11");
    const { wrapped } = (await one.create("alpha/2026-11"))!;
    await expect(one.unwrap([{ scope: "beta/2026-11", wrapped }])).rejects.toMatchObject({
      code: "secrecy.not-wrapped",
      isRetryable: false,
    });
    await expect(one.unwrap([{ scope: "alpha/2026-11", wrapped: Buffer.from("vault:v1:AAAA") }])).rejects.toMatchObject({
      code: "secrecy.not-wrapped",
    });
  });

  test("what is derived is 32 bytes, the same for each client, another for each scope, and not known without a key", async () => {
    const { one, other } = await open();
    await Promise.all([one.create("alpha/2026-11"), one.create("beta/2026-11")]);
    const [first, second, none] = await one.derive(["alpha/2026-11", "beta/2026-11", "gamma/2026-11"]);
    expect([first!.length, second!.length, none]).toEqual([32, 32, null]);
    expect(Buffer.from(first!).equals(second!)).toBe(false);
    expect(Buffer.from((await other.derive(["alpha/2026-11"]))[0]!).equals(first!)).toBe(true);
  });

  test("a destroyed key unwraps, derives and makes nothing any more, for any client, and the others stay", async () => {
    const { one, other } = await open();
    const alpha = (await one.create("alpha/2026-10"))!;
    const beta = (await one.create("beta/2026-10"))!;
    await other.destroy("alpha/2026-10");
    const wrapped = [
      { scope: "alpha/2026-10", wrapped: alpha.wrapped },
      { scope: "beta/2026-10", wrapped: beta.wrapped },
    ];
    for (const service of [one, other]) {
      const [erased, kept] = await service.unwrap(wrapped);
      expect([erased, Buffer.from(kept!).equals(beta.plain)]).toEqual([null, true]);
      expect(await service.derive(["alpha/2026-10"])).toEqual([null]);
      expect(await service.create("alpha/2026-10")).toBeNull();
    }
  });

  test("a key is destroyed twice, and before it ever was, without an error; the list names both", async () => {
    const { one, other } = await open();
    await one.create("alpha/2026-10");
    await one.create("beta/2026-10");
    for (const scope of ["alpha/2026-10", "alpha/2026-10", "gamma/2026-10"]) await one.destroy(scope);
    expect(await other.create("gamma/2026-10")).toBeNull();
    expect(await other.list()).toEqual([
      { scope: "alpha/2026-10", isDestroyed: true },
      { scope: "beta/2026-10", isDestroyed: false },
      { scope: "gamma/2026-10", isDestroyed: true },
    ]);
  });
}
