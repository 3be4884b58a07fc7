import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LinkedList, type ListLink } from "./linked-list.ts";

test("holds what was added and has not left, in the order of adding", () => {
  const step = fc.oneof(fc.constant("add" as const), fc.nat(20));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const list = new LinkedList<number>();
      const links: ListLink<number>[] = [];
      const expected = new Set<number>();
      for (const what of steps) {
        if (what === "add") {
          expected.add(links.length);
          links.push(list.add(links.length));
        } else {
          const link = links[what];
          if (link !== undefined) list.remove(link);
          expected.delete(what);
        }
        expect(list.all()).toEqual([...expected]);
        expect([list.size, list.first?.value]).toEqual([expected.size, [...expected][0]]);
      }
    }),
  );
});
