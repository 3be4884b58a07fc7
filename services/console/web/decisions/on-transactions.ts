// Decisions about one transaction.

import { html } from "hono/html";
import { ApiRefusal, type AnswerOf } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { showTime } from "../parts/clock.ts";
import { facts, link, plural, stateMark, type Html } from "../parts/html.ts";
import { explainItem, findingText, isTooLateToConfirm } from "../parts/item.ts";
import { isOn, type PrepareDecision } from "./decision-form.ts";

type Transaction = AnswerOf<"showTransaction">;

async function load({ api, query }: Asked): Promise<{ readonly uetr: string; readonly found: Transaction }> {
  const uetr = query.get("uetr") ?? "";
  return { uetr, found: await api.read("showTransaction", `/transactions/${encodeURIComponent(uetr)}`) };
}

function preview({ timeline }: Transaction, more: readonly (readonly [string, unknown])[] = []): Html {
  const { uetr, state, amount, bank } = timeline;
  return facts([
    ["Transaction", link(`/transactions/${uetr}`, html`<code>${uetr}</code>`)],
    ["State", stateMark(state ?? "not applied")],
    ["Amount", amount],
    ["Bank", bank],
    ...more,
  ]);
}

/** What the decision has to name, as the list of possible decisions says it; refused in the same words. */
function requireAbout({ actions }: Transaction, name: Transaction["actions"][number]["name"]): string {
  const action = actions.find((one) => one.name === name);
  const about = action?.about ?? null;
  if (about === null) throw new ApiRefusal(409, "Not possible now", action?.whyNot ?? "It would have no effect.");
  return about;
}

export const prepareWithdrawal: PrepareDecision = async (asked) => {
  const { uetr, found } = await load(asked);
  return {
    title: "Withdraw a debit",
    preview: preview(found),
    warning: "The debit is never released: it ends in reconciliation with the cause WITHDRAWN. This cannot be undone.",
    fields: "",
    path: `/transactions/${uetr}/withdrawal`,
    body: () => ({}),
    command: `./sluice withdraw ${uetr} --reason TEXT`,
    secondPerson: "withdraw",
    verb: "Withdraw the debit",
    runbook: "withdraw-a-debit",
  };
};

export const prepareRedrive: PrepareDecision = async (asked) => {
  const { uetr, found } = await load(asked);
  const messageIdentification = requireAbout(found, "redriveDelivery");
  return {
    title: "Redrive a delivery",
    preview: preview(found, [["Message", html`<code>${messageIdentification}</code>`]]),
    warning: "The same bytes are sent again under the same id. Do it when the receiver has mended what it refused or failed.",
    fields: "",
    path: `/transactions/${uetr}/redrive`,
    body: () => ({ messageIdentification }),
    command: `./sluice redrive ${uetr} --message ${messageIdentification} --reason TEXT`,
    secondPerson: "redrive",
    verb: "Redrive the delivery",
    runbook: "redrive-a-refused-delivery",
  };
};

export const prepareStop: PrepareDecision = async (asked) => {
  const { uetr, found } = await load(asked);
  const messageIdentification = requireAbout(found, "stopDelivery");
  return {
    title: "Stop a delivery",
    preview: preview(found, [["Message", html`<code>${messageIdentification}</code>`]]),
    warning:
      "It is tried no more. Its receiver may have taken it already, so it does not count as not sent: its state stays, and at its close it becomes an item. Until then it can be redriven.",
    fields: "",
    path: `/transactions/${uetr}/stop`,
    body: () => ({ messageIdentification }),
    command: `./sluice stop ${uetr} --message ${messageIdentification} --reason TEXT`,
    secondPerson: "stop",
    verb: "Stop the delivery",
    runbook: "some-messages-fail-for-ever",
  };
};

export const resolutionKinds = [
  ["MADE", "It was made: the money moved"],
  ["NOT_MADE", "It was not made: no money moved"],
  ["REPLACED", "Another transaction took its place"],
] as const;

export function resolutionChoice(form: URLSearchParams | null, [kind, text]: (typeof resolutionKinds)[number]): Html {
  const checked = isOn(form, "resolution", kind) ? "checked" : "";
  return html`<label><input type="radio" name="resolution" value="${kind}" required ${checked} /> ${text}</label>`;
}

export const prepareResolution: PrepareDecision = async (asked) => {
  const { uetr, found } = await load(asked);
  const day = asked.query.get("day") ?? requireAbout(found, "resolveItem");
  const item = found.items.find((one) => one.day === day) ?? null;
  return {
    title: "Resolve a reconciliation item",
    preview: preview(found, [["Item", html`${day}: ${item === null ? "" : explainItem(item)}`]]),
    warning: "It records what people found out. No state changes; a final resolution cannot be changed, and the connector gets it once.",
    fields: html`<fieldset>
        <legend>What was found out</legend>
        ${resolutionKinds.map((kind) => resolutionChoice(asked.form, kind))}
      </fieldset>
      <p>
        <label for="replacedBy">UETR that took its place (only where it was replaced)</label
        ><input id="replacedBy" name="replacedBy" maxlength="36" value="${asked.form?.get("replacedBy") ?? ""}" />
      </p>`,
    path: `/transactions/${uetr}/resolution`,
    body: (form) => {
      const replacedBy = (form.get("replacedBy") ?? "").trim();
      return { day, resolution: form.get("resolution") ?? "", ...(replacedBy === "" ? {} : { replacedBy }) };
    },
    command: `./sluice reconciliation resolve ${uetr} --day ${day} --as KIND --reason TEXT`,
    secondPerson: "resolve",
    verb: "Resolve the item",
    runbook: "resolve-an-item",
  };
};

/** The proposal that a second person looks at, and the names by which they decide about it. */
async function loadProposal(asked: Asked) {
  const { uetr, found } = await load(asked);
  const day = asked.query.get("day");
  const item = found.items.find((one) => (day === null || one.day === day) && one.resolution !== null && !one.resolution.isFinal);
  const proposed = item?.resolution ?? null;
  if (item === undefined || proposed === null) throw new ApiRefusal(409, "Not possible now", "Nothing waits for a confirmation.");
  if (isTooLateToConfirm(proposed, asked.clock))
    throw new ApiRefusal(409, "Not possible now", "Nobody confirmed it in time. Resolve the item again.");
  const { offset, contentSha256, kind, replacedBy, action, at } = proposed;
  return {
    uetr,
    named: `${uetr} --offset ${offset} --sha256 ${contentSha256} --reason TEXT`,
    shared: {
      preview: preview(found, [
        ["Item", `${item.day}: ${explainItem(item)}`],
        ["Proposed", html`<strong>${findingText(kind)}</strong> ${replacedBy ?? ""}`],
        ["By", html`${action.operator}, ${showTime(at, asked.clock)}`],
        ["Reason", html`<q>${action.reason}</q>`],
      ]),
      fields: html`<input type="hidden" name="offset" value="${offset}" /><input
          type="hidden"
          name="contentSha256"
          value="${contentSha256}"
        />`,
      body: (form: URLSearchParams) => ({ offset: form.get("offset") ?? "", contentSha256: form.get("contentSha256") ?? "" }),
      secondPerson: null,
      runbook: "resolve-an-item",
    },
  };
}

export const prepareResolutionConfirmation: PrepareDecision = async (asked) => {
  const { uetr, named, shared } = await loadProposal(asked);
  return {
    ...shared,
    title: "Confirm a resolution",
    warning: "You confirm exactly what is shown here. The resolution is then final.",
    path: `/transactions/${uetr}/resolution/confirmation`,
    command: `./sluice reconciliation confirm ${named}`,
    verb: "Confirm the resolution",
  };
};

export const prepareResolutionRejection: PrepareDecision = async (asked) => {
  const { uetr, named, shared } = await loadProposal(asked);
  return {
    ...shared,
    title: "Reject a resolution",
    warning: "The item is open again, and somebody has to find out about it. The reason stays with the transaction, for who proposed it.",
    path: `/transactions/${uetr}/resolution/rejection`,
    command: `./sluice reconciliation reject ${named}`,
    verb: "Reject the resolution",
  };
};

export const prepareTransactionReplay: PrepareDecision = async (asked) => {
  const { uetr, found } = await load(asked);
  const records = found.quarantined?.records ?? 0;
  const query = queryText({ key: uetr, service: "scheduler", limit: "50" });
  const { rows: letters, next } = await asked.api.read("listDeadLetters", `/dead-letters${query}`);
  return {
    title: "Replay a transaction's dead letters",
    preview: preview(found, [["Dead letters", plural(records, "record")]]),
    warning:
      "Every record since the first dead letter is appended again, in its order. One that is still unreadable is dead-lettered again, unless it is left for good. What is left is never applied.",
    fields: renderLeave(letters, next !== null, asked),
    path: `/transactions/${uetr}/replay`,
    body(form) {
      const leave = form.getAll("leave");
      return leave.length === 0 ? {} : { leave };
    },
    command: `./sluice dead-letters replay ${uetr} [--leave LETTER,LETTER…] --reason TEXT`,
    secondPerson: "replay",
    verb: "Replay the dead letters",
    runbook: "dead-letters",
  };
};

/** Letters that nobody will ever read can stay where they are, so that the rest is applied. */
function renderLeave(letters: AnswerOf<"listDeadLetters">["rows"], isMore: boolean, { clock, form }: Asked): Html | string {
  if (letters.length === 0) return "";
  return html`<fieldset>
    <legend>Leave for good</legend>
    ${letters.map(
      ({ letter, topic, partition, offset, why, deadLetteredAt }) =>
        html`<label
          ><input type="checkbox" name="leave" value="${letter}" ${isOn(form, "leave", letter) ? "checked" : ""} />
          <code>${topic} ${partition}:${offset}</code>, ${why}, ${showTime(deadLetteredAt, clock)}</label
        >`,
    )}
    ${isMore ? html`<p class="quiet">There are more than 50; the others are left by the API.</p>` : ""}
  </fieldset>`;
}

export const prepareLetterReplay: PrepareDecision = async ({ api, query, clock }) => {
  const letter = query.get("letter") ?? "";
  const found = await api.read("showDeadLetter", `/dead-letters/${encodeURIComponent(letter)}`);
  const { reading } = found;
  return {
    title: "Replay a dead letter",
    preview: facts([
      ["Letter", letter],
      ["Record", html`<code>${found.topic} ${found.partition}:${found.offset}</code>`],
      ["Since", showTime(found.deadLetteredAt, clock)],
      ["Why", found.why],
      [
        "Now",
        reading.isReadable
          ? `it can be read${reading.as === null ? "" : ` as ${reading.as}`}`
          : `it still cannot be read: ${reading.why ?? ""}`,
      ],
    ]),
    warning: "The record is appended again as it was. Sent again it is appended again.",
    fields: "",
    path: `/dead-letters/${letter}/replay`,
    body: () => ({}),
    command: `./sluice dead-letters replay ${letter} --reason TEXT`,
    secondPerson: "replay",
    verb: "Replay the letter",
    runbook: "dead-letters",
  };
};
