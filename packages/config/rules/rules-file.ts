// One file of imported rule data: the content of an operator's table as it was read at the import, and its source.
//
// #1 A version is named by its first date and the start of the table's SHA-256, so that the same table and date give
//    the same name.
// #2 A file is never changed. It carries the SHA-256 of its content, and an edited file is refused, because old
//    decisions would otherwise come out differently.

import { createHash } from "node:crypto";
import { ukMethods } from "@sluice/account-validation";
import { z } from "zod";

export const tableFormats = ["cim900", "valacdos", "scsubtab"] as const;
export type TableFormat = (typeof tableFormats)[number];

const code = z.string().regex(/^\d{6}$/);
const range = z.tuple([code, code]).refine(([from, to]) => from <= to, "a range that ends before it starts");
const accountTypes = z.array(z.int().min(0).max(9)).min(1).max(10);
const text = z.string().max(200);
const parameter = z.int().min(0).max(99);

const cdvRange = z.strictObject({ bank: text, branchRanges: z.array(range).max(200_000), accountTypes });

const cdvRow = z.strictObject({
  ...cdvRange.shape,
  weights: z.array(parameter).length(11).nullable(),
  fudge: parameter,
  modulus: parameter,
  exception: z.string().max(2).nullable(),
  accountIndicator: z.int().min(0).max(4).nullable(),
  digitsAsGiven: z.null(),
  confidence: z.literal("high"),
  condition: z.null(),
  accepts: z.strictObject({ remainder: parameter, position: parameter, digits: z.array(z.int().min(0).max(9)).max(2) }).nullable(),
});

const ukRow = z.strictObject({
  sortCodes: range,
  method: z.enum(ukMethods),
  weights: z.array(z.int().min(-999).max(999)).length(14),
  exception: z.int().min(1).max(99).nullable(),
});

const head = {
  schema: z.literal("sluice-rules/1"),
  version: z.string().regex(/^\d{4}-\d\d-\d\d-[0-9a-f]{12}$/),
  effectiveFrom: z.string().regex(/^\d{4}-\d\d-\d\d$/),
  /** Number of the import into the folder, which orders two versions from one date. */
  sequence: z.int().min(1),
  importedAt: z.string(),
  source: z.strictObject({ name: z.string(), sha256: z.string().length(64), bytes: z.int(), lines: z.int() }),
  contentSha256: z.string(),
};

const fileSchema = z.discriminatedUnion("format", [
  z.strictObject({
    ...head,
    format: z.literal("cim900"),
    content: z.strictObject({ rows: z.array(cdvRow), notVerifiable: z.array(cdvRange) }),
  }),
  z.strictObject({ ...head, format: z.literal("valacdos"), content: z.strictObject({ rows: z.array(ukRow) }) }),
  z.strictObject({ ...head, format: z.literal("scsubtab"), content: z.strictObject({ substitutions: z.record(code, code) }) }),
]);

export type RulesFile = z.infer<typeof fileSchema>;
export type RulesFileInFormat<Format extends TableFormat> = Extract<RulesFile, { readonly format: Format }>;

export function tableVersion(effectiveFrom: string, sourceSha256: string): string {
  return `${effectiveFrom}-${sourceSha256.slice(0, 12)}`;
}

export function rulesFileName({ format, version }: Pick<RulesFile, "format" | "version">): string {
  return `${format}-${version}.json`;
}

export function hashSource(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

export function hashContent(content: unknown): string {
  return hashSource(JSON.stringify(content));
}

/** Returns the file, or a text that describes its problem. */
export function readRulesFile(name: string, json: string): RulesFile | string {
  const tree = parse(json);
  const read = fileSchema.safeParse(tree);
  if (!read.success) return `not rule data: ${read.error.issues[0]?.path.join(".") ?? ""}`;
  const file = read.data;
  if (hashContent(contentIn(tree)) !== file.contentSha256) return "its content was changed after the import";
  if (file.version !== tableVersion(file.effectiveFrom, file.source.sha256)) return "its version is not that of its date and source";
  return name === rulesFileName(file) ? file : `its name is not ${rulesFileName(file)}`;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Returns the content with the file's order of members, over which its digest was made. */
function contentIn(tree: unknown): unknown {
  return typeof tree === "object" && tree !== null ? Reflect.get(tree, "content") : undefined;
}
