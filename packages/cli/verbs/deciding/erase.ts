// `./sluice erase`: proposes to destroy the key of a bank's month. A second person confirms it with `./sluice confirm`.

import { randomUUID } from "node:crypto";
import { Fault, machineTime } from "@sluice/kernel";
import { asControlVerb, controlClient, controlOptions, type RunControlVerb } from "../../terminal/control-client.ts";
import { memberText } from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";
import { isProposed, proposedLine, requireOption, sendDecision } from "./send-decision.ts";

export const runErase: RunControlVerb = async (call, where) => {
  const [bank, month, reason] = [requireOption(call, "bank"), requireOption(call, "month"), requireOption(call, "reason")];
  if (!/^\d{4}-\d\d$/.test(month)) throw new Fault("cli.no-month", "--month is a month, such as 2026-09", { isRetryable: false });
  const client = await controlClient(call, where);
  const isDryRun = call.flag("dry-run");
  const body = { reason, ...(isDryRun ? { isDryRun } : {}) };
  const answer = await sendDecision(
    client,
    machineTime,
    `/banks/${encodeURIComponent(bank)}/erasure/${month}`,
    body,
    call.value("id") ?? randomUUID(),
  );
  const what = `erasure of ${bank} ${month}`;
  if (call.flag("json")) where.out(JSON.stringify(answer, null, 2));
  else if (isProposed(answer)) where.out(proposedLine(what, answer));
  else {
    const count = `${memberText(answer, "transactions")} transactions`;
    where.out(isDryRun ? `${what}: would erase what ${count} say of persons; nothing was sent` : `${what}: erased, ${count}`);
  }
  return 0;
};

export const eraseVerb: Verb = {
  name: "erase",
  summary: "destroys the key of a bank's month: what its messages said of persons can be read by nobody again",
  arguments: [],
  options: {
    bank: { type: "string", placeholder: "ID", text: "the bank", isRequired: true },
    month: { type: "string", placeholder: "YYYY-MM", text: "the month in which the messages came, in UTC", isRequired: true },
    reason: { type: "string", placeholder: "TEXT", text: "why; kept with the decision, with its operator and time", isRequired: true },
    id: { type: "string", placeholder: "ID", text: "the decision's id (one is made): sent again under the same id it counts once" },
    "dry-run": { type: "boolean", text: "only says what would be erased, or why it would be refused" },
    ...controlOptions,
  },
  notes: [
    "It cannot be undone. It always needs a second person, who confirms it with `./sluice confirm`.",
    "Exit 0 if it is proposed, or was erased; 4 if it was refused.",
  ],
  examples: [
    'erase --bank alpha --month 2026-09 --reason "the bank has left, ticket 4715"',
    'erase --bank alpha --month 2026-09 --dry-run --reason "how much is it?"',
  ],
  run: asControlVerb(runErase),
};
