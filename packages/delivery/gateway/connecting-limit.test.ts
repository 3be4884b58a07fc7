import type { Socket } from "node:net";
import { silentMetrics } from "@sluice/kernel";
import type { buildConnector } from "undici";
import { expect, test } from "vitest";
import { ConnectingLimit } from "./connecting-limit.ts";

const socket = {} as Socket;
const to = { hostname: "bank.test", protocol: "https:", port: "443" } as buildConnector.Options;

/** Addresses whose connections end when the test says so. */
function setUp(max: number) {
  const limit = new ConnectingLimit(silentMetrics, max);
  const begun: { readonly name: string; end(error: Error | null): void }[] = [];
  const address = (name: string) => {
    const connect = limit.limit((_, callback) => {
      begun.push({ name, end: (error) => (error === null ? callback(null, socket) : callback(error, null)) });
    });
    return () => connect(to, () => {});
  };
  const names = (): readonly string[] => begun.map(({ name }) => name);
  const end = (name: string, error: Error | null = null): void => {
    const index = begun.findIndex((one) => one.name === name);
    begun.splice(index, 1)[0]?.end(error);
  };
  return { address, names, end };
}

test("I15: at most as many connections are being made at once as the bound says; the next begins when one has ended", () => {
  const { address, names, end } = setUp(2);
  for (const name of ["a", "b", "c", "d"]) address(name)();
  expect(names()).toEqual(["a", "b"]);
  end("b");
  expect(names()).toEqual(["a", "c"]);
  end("a", new Error("refused"));
  expect(names()).toEqual(["c", "d"]);
});

test("I14: addresses whose last connection failed have half of the places at most, so that a sound one finds a place", () => {
  const { address, names, end } = setUp(4);
  const dead = Array.from({ length: 6 }, (_, index) => ({ name: `dead-${index}`, connect: address(`dead-${index}`) }));
  for (const { name, connect } of dead) {
    connect();
    end(name, new Error("timeout"));
  }
  for (const { connect } of dead) connect();
  expect(names()).toEqual(["dead-0", "dead-1"]);
  const sound = address("sound");
  sound();
  sound();
  expect(names()).toEqual(["dead-0", "dead-1", "sound", "sound"]);
  end("dead-0");
  expect(names()).toEqual(["dead-1", "sound", "sound", "dead-2"]);
});
