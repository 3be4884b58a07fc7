// Turns bytes from HTTP into a message, or into the answer that refuses it. 400: not JSON, or not the schema. 422:
// well-formed, but it cannot be processed. An ErrorDetail names the place as a JSON pointer and never repeats an
// account number or a name.

import * as z from "zod";
import { misfit, readCompiled } from "./compiled-reader.ts";
import { hashMessage } from "../json/canonical-json.ts";
import type { ReadResult } from "../../api.ts";
import { isJsonObject, parseJson, type PathPart, pointer } from "../json/json.ts";

type Issue = z.core.$ZodIssue;

/** Reads a message. `extras` is the text for a sender that uses an unknown member. */
export function parseMessage<T>(bytes: Uint8Array, schema: z.ZodType<T>, extras = placeForExtras): ReadResult<T> {
  const parsed = parseJson(bytes);
  if (!parsed.ok) return refused(400, "The body is not JSON that can be read.", `${pointer(parsed.path)}: ${parsed.reason}`);
  if (!isJsonObject(parsed.value)) return refused(400, misfitMessage, "/: must be an object");
  const message = readCompiled(schema, parsed.value);
  if (message !== misfit) return { ok: true, read: { message, ...hashMessage(parsed.value) } };
  const result = z.core.safeParse(schema, parsed.value, endAtFirstMisfit);
  if (!result.success) return refusedBy(result.error.issues.flatMap(innermost), extras);
  return { ok: true, read: { message: result.data, ...hashMessage(parsed.value) } };
}

/** Ends a list or an object at its first misfit: a body of 4,096 mistakes must not cost 4,096 descriptions of them. */
const endAtFirstMisfit: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true };

const placeForExtras = "this member is not known; supplementaryData is the place for extras";
const misfitMessage = "The message does not fit the schema.";

/** Reports a shape that does not fit before a value that cannot be processed; of each kind the first counts. */
function refusedBy(issues: readonly Issue[], extras: string): ReadResult<never> {
  const misfit = issues.find((issue) => statusFor(issue) === 400);
  if (misfit !== undefined) return refused(400, misfitMessage, describeIssue(misfit, extras));
  const [first] = issues;
  if (first === undefined) throw new Error("a refusal without an issue");
  const isAmount = first.path.at(-1) === "value" || first.path.at(-1) === "currency";
  return refused(422, isAmount ? "The amount cannot be processed." : "The message cannot be processed.", describeIssue(first, extras));
}

function refused(status: 400 | 422, message: string, detail: string): ReadResult<never> {
  return { ok: false, status, error: { schema: "ErrorDetail", message, detail } };
}

function describeIssue(issue: Issue, extras: string): string {
  const unknown = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const path = [...issue.path, ...unknown].filter((part): part is PathPart => typeof part !== "symbol");
  return `${pointer(path)}: ${reasonFor(issue, extras)}`;
}

function reasonFor(issue: Issue, extras: string): string {
  if (issue.code === "unrecognized_keys") return extras;
  if (issue.code === "invalid_type")
    return issue.message.endsWith("received undefined") ? "is required" : `must be ${article(issue.expected)}`;
  if (issue.code === "invalid_value") return `must be ${issue.values.map(String).join(", ")}`;
  if (issue.code === "invalid_key") return "a member name must have 1 to 70 characters";
  return issue.message;
}

function article(type: string): string {
  if (type === "record") return "an object";
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function statusFor(issue: Issue): 400 | 422 {
  return issue.code === "custom" && issue.params?.["status"] === 422 ? 422 : 400;
}

/** Returns the issues of a union's branch where exactly one branch can be the intended one. */
function innermost(issue: Issue): readonly Issue[] {
  if (issue.code !== "invalid_union" || issue.errors.length !== 1) return [issue];
  return (issue.errors[0] ?? []).flatMap((inner) => innermost({ ...inner, path: [...issue.path, ...inner.path] }));
}
