// Decisions about a bank or connector.

import { html } from "hono/html";
import { ApiRefusal } from "../api-client.ts";
import type { Asked } from "../asked.ts";
import { count, facts, receiverMark, type Html } from "../parts/html.ts";
import { isOn, type PrepareDecision } from "./decision-form.ts";

async function load({ api, query }: Asked) {
  const id = query.get("bank") ?? "";
  const { rows } = await api.read("listBanks", "/banks");
  const bank = rows.find((one) => one.bank === id);
  if (bank === undefined) throw new ApiRefusal(404, "Not known", "No bank or connector has this id.");
  const { waiting, state } = bank;
  const preview = facts([
    ["Receiver", id],
    ["State", receiverMark(state)],
    ["Waiting messages", waiting === null ? "not counted" : count(waiting.deliveries.waiting)],
    ["Waiting postings", waiting === null ? "not counted" : count(waiting.postings.waiting)],
  ]);
  return { id, preview };
}

const minutes = [15, 30, 60, 120, 240] as const;

export function pauseField(form: URLSearchParams | null): Html {
  return html`<p>
    <label for="minutes">For how long</label
    ><select id="minutes" name="minutes">
      ${minutes.map((one) => html`<option value="${one}" ${isOn(form, "minutes", String(one), one === 30) ? "selected" : ""}>${one} minutes</option>`)}
      <option value="" ${isOn(form, "minutes", "") ? "selected" : ""}>until somebody resumes it</option>
    </select>
  </p>`;
}

/** When the pause ends by itself, as the form chose it; empty: somebody has to resume it. */
export function pauseUntil(form: URLSearchParams, nowMs: number | null): { readonly until?: string } {
  const chosen = Number(form.get("minutes") ?? "");
  if (chosen === 0 || nowMs === null) return {};
  return { until: Temporal.Instant.fromEpochMilliseconds(nowMs + chosen * 60_000).toString({ smallestUnit: "second" }) };
}

export const prepareCheck: PrepareDecision = async (asked) => {
  const { id, preview } = await load(asked);
  return {
    title: `Check the addresses of ${id}`,
    preview,
    warning: "Each address is called once without a message, also while it is paused. No transaction and no state changes.",
    fields: "",
    path: `/banks/${id}/check`,
    body: () => ({}),
    command: `./sluice bank check ${id} --reason TEXT`,
    secondPerson: null,
    verb: "Check them",
    runbook: "a-bank-does-not-answer",
  };
};

/** For the bank's own person, who sees nothing but its own. */
export const prepareOwnCheck: PrepareDecision = async ({ api, query }) => {
  const own = await api.read("showOwnBank", `/banks/${encodeURIComponent(query.get("bank") ?? "")}/own`);
  return {
    title: `Test the addresses of ${own.bank}`,
    preview: facts([
      ["Bank", own.name],
      ["Addresses", own.endpoints.map(({ address }) => html`<code>${address}</code> `)],
    ]),
    warning:
      "Each address is called once by OPTIONS, without a message and with a webhook-id that begins with check-. No transaction changes.",
    fields: "",
    path: `/banks/${own.bank}/own/check`,
    body: () => ({}),
    command: `./sluice bank test ${own.bank} --reason TEXT`,
    secondPerson: null,
    verb: "Call the addresses",
    runbook: null,
  };
};

export const preparePause: PrepareDecision = async (asked) => {
  const { id, preview } = await load(asked);
  const { nowMs } = asked.clock;
  return {
    title: `Pause ${id}`,
    preview,
    warning: "Nothing is released, delivered or posted to it. Its debits may miss their window, and become items.",
    fields: pauseField(asked.form),
    path: `/banks/${id}/pause`,
    body: (form) => pauseUntil(form, nowMs),
    command: `./sluice bank pause ${id} --for 30m --reason TEXT`,
    secondPerson: null,
    verb: "Pause it",
    runbook: "pause-a-bank",
  };
};

export const prepareResume: PrepareDecision = async (asked) => {
  const { id, preview } = await load(asked);
  return {
    title: `Resume ${id}`,
    preview,
    warning: "Everything that waits is due at once, in order.",
    fields: "",
    path: `/banks/${id}/resume`,
    body: () => ({}),
    command: `./sluice bank resume ${id} --reason TEXT`,
    secondPerson: null,
    verb: "Resume it",
    runbook: "pause-a-bank",
  };
};
