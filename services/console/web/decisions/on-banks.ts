// Decisions about a bank or connector, and the confirmation of a proposal.

import { html } from "hono/html";
import { ApiRefusal } from "../api-client.ts";
import type { Asked } from "../asked.ts";
import { count, facts, receiverMark } from "../parts/html.ts";
import { proposalFacts } from "../pages/proposals.ts";
import type { PrepareDecision } from "./decision-form.ts";

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

export const preparePause: PrepareDecision = async (asked) => {
  const { id, preview } = await load(asked);
  const { nowMs } = asked.clock;
  return {
    title: `Pause ${id}`,
    preview,
    warning: "Nothing is released, delivered or posted to it. Its debits may miss their window, and become items.",
    fields: html`<p>
      <label for="minutes">For how long</label
      ><select id="minutes" name="minutes">
        ${minutes.map((one) => html`<option value="${one}" ${one === 30 ? "selected" : ""}>${one} minutes</option>`)}
        <option value="">until somebody resumes it</option>
      </select>
    </p>`,
    path: `/banks/${id}/pause`,
    body(form) {
      const chosen = Number(form.get("minutes") ?? "");
      if (chosen === 0 || nowMs === null) return {};
      return { until: Temporal.Instant.fromEpochMilliseconds(nowMs + chosen * 60_000).toString({ smallestUnit: "second" }) };
    },
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

export const prepareConfirmation: PrepareDecision = async ({ api, query, clock }) => {
  const action = query.get("action") ?? "";
  const { rows } = await api.read("listProposals", "/proposals?limit=1000");
  const proposal = rows.find(({ id }) => id === action);
  if (proposal === undefined) throw new ApiRefusal(404, "Not known", "There is no such proposal.");
  const { offset, contentSha256, operation } = proposal;
  return {
    title: `Confirm: ${operation}`,
    preview: proposalFacts(proposal, clock),
    warning: "You confirm exactly what is shown here, and it takes effect at once.",
    fields: html`<input type="hidden" name="offset" value="${offset}" /><input
        type="hidden"
        name="contentSha256"
        value="${contentSha256}"
      />`,
    path: `/proposals/${action}/confirmation`,
    body: (form) => ({ offset: form.get("offset") ?? "", contentSha256: form.get("contentSha256") ?? "" }),
    command: `./sluice confirm ${action} --offset ${offset} --sha256 ${contentSha256} --reason TEXT`,
    secondPerson: null,
    verb: "Confirm the decision",
    runbook: "confirm-a-proposal",
  };
};
