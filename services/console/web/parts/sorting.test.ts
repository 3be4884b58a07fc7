import { expect, test } from "vitest";
import { createSorting } from "./sorting.ts";

interface Row {
  readonly name: string;
  readonly lag: number | null;
}

const rows: readonly Row[] = [
  { name: "b", lag: null },
  { name: "c", lag: 1 },
  { name: "a", lag: 2 },
];

function sorting(query: string) {
  return createSorting<Row>("/list", new URLSearchParams(query), {
    name: { order: "ascending", by: ({ name }) => name },
    lag: { order: "descending", by: ({ lag }) => lag },
  });
}

const names = (query: string): string =>
  sorting(query)
    .rows(rows)
    .map(({ name }) => name)
    .join("");

test("the address says by what rows are sorted; what is not known comes last, and without a known name nothing moves", () => {
  expect([names("sort=name"), names("sort=lag"), names(""), names("sort=constructor")]).toEqual(["abc", "acb", "bca", "bca"]);
});

test("a column's link keeps what else was asked for, and begins the list again", () => {
  const sorted = sorting("operator=thandi&after=x&sort=lag");
  expect(sorted.column("lag", { title: "Lag" }).sort).toEqual({ href: "/list?operator=thandi&sort=lag", order: "descending", isOn: true });
  expect(sorted.column("name", { title: "Name" }).sort).toEqual({
    href: "/list?operator=thandi&sort=name",
    order: "ascending",
    isOn: false,
  });
});
