// What a decision would do, asked before it is sent: how many, which sum, what cannot be undone, and what the console
// says against it now. Nothing here decides; the console and the aggregate do.

import type { AnswerBody, ControlClient } from "../../terminal/control-client.ts";
import { maskControlCharacters, memberRows, memberText } from "../../terminal/control-table.ts";

export interface Preview {
  readonly lines: readonly string[];
  /** Why it would be refused as things stand; null: nothing is said against it. */
  readonly refusal: string | null;
}

export type LoadPreview = (client: ControlClient) => Promise<Preview>;

const rowsMax = "1000";

/** A decision about the held debits of a day, of one bank or of all. */
export function previewHeld(day: string, bank: string | null, then: string): LoadPreview {
  return async (client) => {
    const rows = memberRows(await client.get("/held", { day, bank, limit: rowsMax }), "rows");
    const count = rows.reduce((sum, row) => sum + Number(row["count"] ?? 0), 0);
    const sums = rows.map(
      (row) => `${memberText(row, "bank")} ${memberText(row, "count")}, ${memberText(row, "currency")} ${memberText(row, "sum")}`,
    );
    const held =
      count === 0 ? `nothing is held on ${day}` : `${count} held ${count === 1 ? "debit" : "debits"} on ${day}: ${sums.join("; ")}`;
    return { lines: [held, then].map(maskControlCharacters), refusal: null };
  };
}

/** A decision about one transaction; `action` is the console's name of it. */
export function previewTransaction(uetr: string, action: string, then: string | null): LoadPreview {
  return async (client) => {
    const body = await client.get(`/transactions/${uetr}`);
    const allowed = memberRows(body, "actions").find((row) => row["name"] === action);
    const refusal = allowed?.["isAllowed"] === false ? memberText(allowed, "whyNot") : null;
    const second = allowed?.["needsSecondPerson"] === true ? ["a second person has to confirm it before it takes effect"] : [];
    const lines = [describeTransaction(uetr, body), ...(then === null ? [] : [then]), ...second];
    return { lines: lines.map(maskControlCharacters), refusal: refusal === null ? null : maskControlCharacters(refusal) };
  };
}

function describeTransaction(uetr: string, body: AnswerBody): string {
  const [state, amount, bank] = ["state", "amount", "bank"].map((name) => memberText(body, `timeline.${name}`));
  return `${uetr} is ${state}: ${amount}, bank ${bank}`;
}
