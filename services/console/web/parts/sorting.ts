// The order of a table that is whole on its page. The address names it, so that it can be kept and sent to somebody.
//
// #1 A page of a longer list is not sorted: its first rows would not be the first ones of the list.
// #2 What is not known comes last in either order.

import { queryText } from "../asked.ts";
import type { Column } from "./html.ts";

type Value = number | string | null;

export interface Order<Row> {
  readonly order: "ascending" | "descending";
  readonly by: (row: Row) => Value;
}

/** `orders` has names as the address has them. Without one of them in the address rows stay as they came. */
export function createSorting<Row>(path: string, query: URLSearchParams, orders: Readonly<Record<string, Order<Row>>>) {
  const asked = query.get("sort") ?? "";
  const rest = Object.fromEntries([...query].filter(([name]) => name !== "sort" && name !== "after"));
  const chosen = Object.hasOwn(orders, asked) ? orders[asked] : undefined;
  return {
    rows: (rows: readonly Row[]): readonly Row[] => (chosen === undefined ? rows : rows.toSorted((a, b) => compare(chosen, a, b))),
    /** The column with a link that sorts by it. */
    column(name: string, column: Column): Column {
      const { order = "ascending" } = orders[name] ?? {};
      return { ...column, sort: { href: `${path}${queryText({ ...rest, sort: name })}`, order, isOn: asked === name } };
    },
  };
}

function compare<Row>({ order, by }: Order<Row>, a: Row, b: Row): number {
  const [first, second] = [by(a), by(b)];
  if (first === null || second === null) return Number(first === null) - Number(second === null);
  const difference = first < second ? -1 : first > second ? 1 : 0;
  return order === "ascending" ? difference : -difference;
}
