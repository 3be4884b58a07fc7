// Runs a verb that lists: reads one page, or with --all every page, and prints a table, or with --json the body as it
// is.

import {
  asControlVerb,
  controlClient,
  controlOptions,
  type AnswerBody,
  type ControlClient,
  type ControlTerminal,
  type ControlQueryParameters,
  type RunControlVerb,
} from "./control-client.ts";
import { machineTime } from "@sluice/kernel";
import { watched, watchOption } from "./watch.ts";
import { memberRows, tableText, type TableColumn } from "./control-table.ts";
import { shown } from "./shown.ts";
import { optionName, type RunVerb, type VerbCall, type VerbOptions } from "./verb.ts";

export interface ListVerb {
  /** A function, where the address has one of the verb's arguments. */
  readonly path: string | ((call: VerbCall) => string);
  /** Query parameters; each is an option with the same name in lower case and with hyphens. */
  readonly options: readonly string[];
  columns(body: AnswerBody): readonly TableColumn[];
  /** The member of the answer with the rows, where it is another than `rows`. */
  readonly rows?: string;
  /** Text that is printed if there are no rows. */
  readonly none: string;
  /** More lines below the table. */
  below?(body: AnswerBody): readonly string[];
  /** False: the answer is not divided into pages. */
  readonly isPaged?: boolean;
}

/** Options of every verb that lists pages. */
export const pageOptions = {
  limit: { type: "string", placeholder: "N", text: "rows of a page" },
  after: { type: "string", placeholder: "CURSOR", text: "the next page, as printed below the last one" },
  all: { type: "boolean", text: "every page" },
  watch: watchOption,
  ...controlOptions,
} as const satisfies VerbOptions;

/** Rows that --all collects at most. */
const allRowsMax = 100_000;
const pageRows = "1000";

export function runList(list: ListVerb): RunControlVerb {
  return async (call, where) => {
    const client = await controlClient(call, where);
    const body = await readList(client, list, call);
    if (call.flag("json")) where.out(JSON.stringify(body, null, 2));
    else show(body, list, where);
    return 0;
  };
}

export function listVerb(list: ListVerb): RunVerb {
  return asWatchedVerb(runList(list));
}

/** A question that `--watch` repeats. */
export function asWatchedVerb(run: RunControlVerb): RunVerb {
  return asControlVerb(
    watched(shown(run), async () => {
      const { interruptible } = await import("@sluice/environment/interruption");
      return { ...interruptible(), time: machineTime };
    }),
  );
}

async function readList(client: ControlClient, list: ListVerb, call: VerbCall): Promise<AnswerBody> {
  const asked: ControlQueryParameters = Object.fromEntries(list.options.map((name) => [name, call.value(optionName(name))]));
  const path = typeof list.path === "string" ? list.path : list.path(call);
  if (list.isPaged === false) return await client.get(path, asked);
  const isAll = call.flag("all");
  const limit = call.value("limit") ?? (isAll ? pageRows : null);
  const first = await client.get(path, { ...asked, limit, after: call.value("after") });
  if (!isAll) return first;
  const rows = [...memberRows(first, "rows")];
  let next = first["next"];
  while (typeof next === "string" && rows.length < allRowsMax) {
    const page = await client.get(path, { ...asked, limit, after: next });
    rows.push(...memberRows(page, "rows"));
    next = page["next"];
  }
  return { ...first, rows, next };
}

function show(body: AnswerBody, list: ListVerb, where: ControlTerminal): void {
  const rows = memberRows(body, list.rows ?? "rows");
  where.out(rows.length === 0 ? list.none : tableText(rows, list.columns(body)));
  for (const line of list.below?.(body) ?? []) where.out(line);
  if (typeof body["next"] === "string") where.out(`there are more: --after ${body["next"]}, or --all`);
}
