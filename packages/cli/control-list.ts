// A verb that lists: asks for a page, or with --all for every page, and shows a table, or with --json the body as it is.

import {
  asControlVerb,
  controlClient,
  type Body,
  type ControlClient,
  type ControlTerminal,
  type Query,
  type RunControlVerb,
} from "./control-client.ts";
import { rowsAt, tableText, type Column } from "./control-table.ts";
import type { Call, RunVerb } from "./verbs.ts";

export interface ListVerb {
  readonly path: string;
  /** Parameters; each is an option of the same name in lower case with hyphens. */
  readonly options: readonly string[];
  columns(body: Body): readonly Column[];
  /** Said where there are no rows. */
  readonly none: string;
  /** More lines under the table. */
  below?(body: Body): readonly string[];
  /** False: the answer is whole. */
  readonly isPaged?: boolean;
}

/** Rows that --all puts together. */
export const allRowsMax = 100_000;
const pageRows = "1000";

export function runList(list: ListVerb): RunControlVerb {
  return async (call, where) => {
    const client = await controlClient(call, where);
    const body = await listed(client, list, call);
    if (call.flag("json")) where.out(JSON.stringify(body, null, 2));
    else show(body, list, where);
    return 0;
  };
}

export function listVerb(list: ListVerb): RunVerb {
  return asControlVerb(runList(list));
}

async function listed(client: ControlClient, list: ListVerb, call: Call): Promise<Body> {
  const asked: Query = Object.fromEntries(list.options.map((name) => [name, call.value(optionOf(name))]));
  if (list.isPaged === false) return await client.get(list.path, asked);
  const isAll = call.flag("all");
  const limit = call.value("limit") ?? (isAll ? pageRows : null);
  const first = await client.get(list.path, { ...asked, limit, after: call.value("after") });
  if (!isAll) return first;
  const rows = [...rowsAt(first, "rows")];
  let next = first["next"];
  while (typeof next === "string" && rows.length < allRowsMax) {
    const page = await client.get(list.path, { ...asked, limit, after: next });
    rows.push(...rowsAt(page, "rows"));
    next = page["next"];
  }
  return { ...first, rows, next };
}

/** `business-date` of `businessDate`. */
export function optionOf(parameter: string): string {
  return parameter.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function show(body: Body, list: ListVerb, where: ControlTerminal): void {
  const rows = rowsAt(body, "rows");
  where.out(rows.length === 0 ? list.none : tableText(rows, list.columns(body)));
  for (const line of list.below?.(body) ?? []) where.out(line);
  if (typeof body["next"] === "string") where.out(`there are more: --after ${body["next"]}, or --all`);
}
