// The decision about several messages that a bank refused: which of them, how many, which sum; and what came of each.

import { html } from "hono/html";
import { ApiRefusal, type AnswerOf } from "../api-client.ts";
import { queryText } from "../asked.ts";
import { showTime, type Clock } from "../parts/clock.ts";
import { count, dataTable, facts, link, money, plural, uetrLink, type Html } from "../parts/html.ts";
import type { PrepareDecision } from "./decision-form.ts";

type Refused = AnswerOf<"listRefused">;

export const prepareBankRedrive: PrepareDecision = async ({ api, query, clock }) => {
  const bank = query.get("bank") ?? "";
  const filter = { target: query.get("target"), operation: query.get("operation"), httpStatusCode: query.get("httpStatusCode") };
  const refused = await api.read("listRefused", `/banks/${encodeURIComponent(bank)}/refused${queryText(filter)}`);
  if (refused.rows.length === 0) throw new ApiRefusal(409, "Not possible now", `Nothing that ${bank} refused fits. Look at its page.`);
  const target = filter.target === "POSTING" ? "POSTING" : "DELIVERY";
  return {
    title: `Redrive what ${bank} refused`,
    preview: html`${renderFilter(bank, filter)}
    ${facts([
      ["Receiver", link(`/banks/${bank}`, bank)],
      ["Messages", `${plural(refused.count, "message")}${refused.isWhole ? "" : ", the oldest; it has more"}`],
      ["Transactions", refused.sums.map(({ currency, count: number, sum }) => html`${count(number)}, ${money(currency, sum)} in all `)],
    ])}
    ${renderRefused(refused, clock)}`,
    warning: "The same bytes are sent again under the same ids. Do it when the receiver has mended what it refused.",
    fields: refused.rows.map(({ messageIdentification }) => html`<input type="hidden" name="of" value="${messageIdentification}" />`),
    path: `/banks/${bank}/redrive`,
    body: (form) => ({ of: form.getAll("of"), target }),
    command: "./sluice redrive UETR --message ID --reason TEXT, for each",
    secondPerson: "redrive",
    verb: refused.count === 1 ? "Redrive the message" : `Redrive the ${count(refused.count)} messages`,
    runbook: "redrive-a-refused-delivery",
  };
};

function renderFilter(bank: string, { target, operation, httpStatusCode }: Readonly<Record<string, string | null>>): Html {
  return html`<form class="terms" action="/decide/redriveBank">
    <input type="hidden" name="bank" value="${bank}" />
    <p>
      <label for="target">Kind</label
      ><select id="target" name="target">
        <option value="DELIVERY">messages</option>
        <option value="POSTING" ${target === "POSTING" ? "selected" : ""}>postings of events</option>
      </select>
    </p>
    <p><label for="operation">Operation</label><input id="operation" name="operation" value="${operation ?? ""}" placeholder="all" /></p>
    <p>
      <label for="httpStatusCode">Last answer</label
      ><input id="httpStatusCode" name="httpStatusCode" value="${httpStatusCode ?? ""}" placeholder="any code" inputmode="numeric" />
    </p>
    <p class="wide"><button>Choose these</button></p>
  </form>`;
}

const shownMax = 20;

function renderRefused({ rows }: Refused, clock: Clock): Html {
  const columns = [{ title: "Transaction" }, { title: "Message" }, { title: "Last" }, { title: "Answer", isText: true }];
  const cells = rows
    .slice(0, shownMax)
    .map(({ uetr, operation, kind, lastAnswer }) => [
      uetrLink(uetr),
      operation ?? kind,
      showTime(lastAnswer?.at ?? null, clock),
      lastAnswer === null ? "–" : html`${lastAnswer.httpStatusCode ?? "no answer"} <span class="answer">${lastAnswer.answer ?? ""}</span>`,
    ]);
  return dataTable(rows.length <= shownMax ? "Which" : `The first ${shownMax} of ${count(rows.length)}`, columns, cells, "None.");
}
