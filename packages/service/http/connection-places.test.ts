import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressGroup } from "./address-group.ts";
import { type ConnectionLimits, createConnectionPlaces } from "./connection-places.ts";

const limits: ConnectionLimits = {
  connectionsMax: 20,
  strangersMax: 6,
  strangersPerAddressMax: 3,
  acquaintancesMax: 6,
  acquaintancesPerAddressMax: 2,
};

function givenPlaces() {
  const open = new Set<string>();
  const busy = new Set<string>();
  const places = createConnectionPlaces<string>(limits, (connection) => busy.has(connection));
  const leave = (connection: string): void => {
    places.leave(connection);
    open.delete(connection);
  };
  const enter = (connection: string, address: string): string | null => {
    const closed = places.enter(connection, address);
    if (closed !== connection) open.add(connection);
    if (closed !== null) leave(closed);
    return closed;
  };
  return { places, open, busy, enter, leave };
}

describe("I15: strangers' connections", () => {
  test("have few places for each address, and the oldest silent one gives up its own", () => {
    const { enter, busy } = givenPlaces();
    expect(["a1", "a2", "a3"].map((name) => enter(name, "10.0.0.1"))).toEqual([null, null, null]);
    busy.add("a1");
    expect([enter("a4", "10.0.0.1"), enter("b1", "10.0.0.2"), enter("a5", "10.0.0.1")]).toEqual(["a2", null, "a3"]);
  });

  test("have few places in all, whatever addresses they come from", () => {
    const { enter, open } = givenPlaces();
    for (let number = 0; number < 100; number += 1) enter(`c${number}`, `10.0.0.${number}`);
    expect([...open]).toEqual(["c94", "c95", "c96", "c97", "c98", "c99"]);
  });

  test("of one IPv6 network count as of one address", () => {
    const { enter } = givenPlaces();
    expect(["1", "2", "3", "4"].map((end) => enter(end, `2001:db8:0:1::${end}`))).toEqual([null, null, null, "1"]);
  });
});

describe("I14: whatever strangers hold", () => {
  test("an authenticated connection stays, and an address from which somebody was authenticated has places of its own", () => {
    const { places, enter, open } = givenPlaces();
    enter("known", "10.1.1.1");
    places.authenticated("known", "first");
    for (let number = 0; number < 50; number += 1) enter(`s${number}`, `10.0.0.${number}`);
    expect(enter("next", "10.1.1.1")).toBeNull();
    for (let number = 50; number < 100; number += 1) enter(`s${number}`, `10.0.0.${number}`);
    expect([open.has("known"), open.has("next")]).toEqual([true, true]);
  });

  test("a caller that comes from a new address is served, because it is silent for shorter than they are", () => {
    const { places, enter, open } = givenPlaces();
    for (let number = 0; number < 50; number += 1) enter(`s${number}`, `10.0.0.${number}`);
    enter("new", "10.2.2.2");
    for (let number = 50; number < 55; number += 1) enter(`s${number}`, `10.0.0.${number}`);
    expect(open.has("new")).toBe(true);
    places.authenticated("new", "second");
    for (let number = 55; number < 99; number += 1) enter(`s${number}`, `10.0.0.${number}`);
    expect(open.has("new")).toBe(true);
  });

  test("a caller that uses very many addresses does not make the port forget another caller's", () => {
    const { places, enter, leave } = givenPlaces();
    enter("one", "10.1.1.1");
    places.authenticated("one", "first");
    for (let number = 0; number < 200; number += 1) {
      enter("many", `10.3.0.${number}`);
      places.authenticated("many", "second");
      leave("many");
    }
    for (let number = 0; number < 6; number += 1) enter(`s${number}`, `10.0.0.${number}`);
    expect(enter("again", "10.1.1.1")).toBeNull();
    expect(enter("forgotten", "10.3.0.1")).toBe("s0");
  });

  test("only a port full of authenticated connections refuses a new one", () => {
    const { places, enter } = givenPlaces();
    for (let number = 0; number < limits.connectionsMax; number += 1) {
      expect(enter(`k${number}`, "10.1.1.1")).toBeNull();
      places.authenticated(`k${number}`, "first");
    }
    expect(enter("more", "10.1.1.1")).toBe("more");
  });
});

test("I15: no sequence of connections exceeds a bound", () => {
  const step = fc.tuple(fc.constantFrom("enter", "authenticate", "leave"), fc.nat({ max: 30 }), fc.nat({ max: 5 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const { places, enter, leave, open } = givenPlaces();
      const unknown = new Set<string>();
      for (const [action, number, address] of steps) {
        const name = `c${number}`;
        if (action === "enter" && !open.has(name)) {
          enter(name, `10.0.0.${address}`);
          unknown.add(name);
        }
        if (action === "authenticate" && open.has(name)) {
          places.authenticated(name, "first");
          unknown.delete(name);
        }
        if (action === "leave") leave(name);
        expect(open.size).toBeLessThanOrEqual(limits.connectionsMax);
        const silent = [...open].filter((one) => unknown.has(one)).length;
        expect(silent).toBeLessThanOrEqual(limits.strangersMax + limits.acquaintancesMax);
      }
    }),
  );
});

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["::1", "0:0:0:0::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:0DB8:0000:0000:1:2:3:4", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["1:2:3:4::", "1:2:3:4::/64"],
])("%s is counted under %s", (address, group) => {
  expect(addressGroup(address)).toBe(group);
});
