// Decisions about a business day.

import { html } from "hono/html";
import { ApiRefusal, type AnswerOf } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { showTime } from "../parts/clock.ts";
import { count, facts, money, plural, dataTable, uetrLink, type Html } from "../parts/html.ts";
import { isOn, type PrepareDecision } from "./decision-form.ts";

type Held = AnswerOf<"listHeld">["rows"];

async function load({ api, query, me, clock }: Asked) {
  const [scheme, date] = [query.get("scheme") ?? "", query.get("date") ?? ""];
  const bank = query.get("bank");
  const [{ rows }, { rows: held }] = await Promise.all([
    api.read("listWindows", `/windows${queryText({ scheme, from: date, to: date })}`),
    api.read("listHeld", `/held${queryText({ day: `${scheme}:${date}`, bank })}`),
  ]);
  const [day] = rows;
  if (day === undefined) throw new ApiRefusal(404, "Not known", "This business day is not planned.");
  // The times of a day are those of its own scheme.
  const local = { ...clock, zone: me.schemes.find(({ id }) => id === scheme)?.zone ?? clock.zone };
  return { scheme, date, day, held, clock: local };
}

/** What is held behind the decision, by bank: that is what would be released. */
function releasePreview(held: Held): Html {
  return heldPreview(held, "could be released by it.");
}

function heldPreview(held: Held, what: string): Html {
  const all = held.reduce((sum, one) => sum + one.count, 0);
  const columns = [{ title: "Bank" }, { title: "Debits", isNumber: true }, { title: "Sum", isNumber: true }, { title: "Waits for" }];
  const rows = held.map(({ bank, count: number, currency, sum, why }) => [bank, count(number), money(currency, sum), why]);
  return html`<p><strong>${plural(all, "held debit")}</strong> ${what}</p>
    ${dataTable("Held now", columns, rows, "No debit is held for this day now.")}`;
}

export const prepareCreditsFinal: PrepareDecision = async (asked) => {
  const { scheme, date, day, held } = await load(asked);
  return {
    title: `Declare credits final, ${scheme} ${date}`,
    preview: releasePreview(held),
    warning: "It says that no more credits come for this day. It cannot be withdrawn, and debits leave behind it.",
    fields: html`<p>
      <label for="bank">For which banks</label
      ><select id="bank" name="bank">
        <option value="">all banks</option>
        ${day.gates.map(({ bank }) => html`<option value="${bank}" ${isOn(asked.form, "bank", bank) ? "selected" : ""}>${bank} alone</option>`)}
      </select>
    </p>`,
    path: `/days/${scheme}/${date}/credits-final`,
    body: (form) => ((form.get("bank") ?? "") === "" ? {} : { bank: form.get("bank") }),
    command: `./sluice window credits-final ${scheme}:${date} --reason TEXT`,
    secondPerson: "credits-final",
    verb: "Declare the credits final",
    runbook: "a-gate-stays-closed",
  };
};

export const prepareGateOpening: PrepareDecision = async (asked) => {
  const { scheme, date, day, held } = await load(asked);
  const bank = asked.query.get("bank") ?? "";
  const gate = day.gates.find((one) => one.bank === bank);
  if (gate === undefined) throw new ApiRefusal(404, "Not known", "No bank of this day has this id.");
  const { credits, isMoreCredits, reason } = gate;
  return {
    title: `Open the gate of ${bank}, ${scheme} ${date}`,
    preview: html`${facts([["Gate", reason === null ? "open" : `closed: ${reason}`]])} ${releasePreview(held)}
      <section>
        <h2>${isMoreCredits ? "More than " : ""}${plural(credits.length, "unresolved credit")}</h2>
        <ul class="plain">
          ${credits.map((uetr) => html`<li>${uetrLink(uetr)}</li>`)}
        </ul>
      </section>`,
    warning: "Debits leave although these credits are unresolved: you take responsibility for each of them. It cannot be undone.",
    fields: html`<input type="hidden" name="credits" value="${credits.join(",")}" />`,
    path: `/days/${scheme}/${date}/gate-opening`,
    body: (form) => ({ bank, credits: (form.get("credits") ?? "").split(",").filter((uetr) => uetr !== "") }),
    command: `./sluice window open-gate ${scheme}:${date} --bank ${bank} --credits ${credits.slice(0, 2).join(",")}${credits.length > 2 ? ",…" : ""} --reason TEXT`,
    secondPerson: "open-gate",
    verb: "Open the gate",
    runbook: "open-a-gate-by-hand",
  };
};

export const prepareExtension: PrepareDecision = async (asked) => {
  const { scheme, date, day, held, clock } = await load(asked);
  const { form: sent } = asked;
  const closes = [
    ...day.windows.map(({ number, closes: at }) => [number, `window ${number}`, at] as const),
    ...(day.reconciliation === null ? [] : [[0, "reconciliation", day.reconciliation.closes] as const]),
  ];
  return {
    title: `Extend a close, ${scheme} ${date}`,
    preview: html`${facts(closes.map(([, name, at]) => [`Close of ${name}`, showTime(at, clock)] as const))}
    ${heldPreview(held, "have until the new close.")}`,
    warning: "Deadlines move with the close. It can be extended again, and never brought forward.",
    fields: html`<p>
        <label for="window">Which close</label
        ><select id="window" name="window">
          ${closes.map(([number, name]) => html`<option value="${number}" ${isOn(sent, "window", String(number)) ? "selected" : ""}>${name}</option>`)}
        </select>
      </p>
      <p>
        <label for="closesAt">New time, local (${clock.zone})</label
        ><input id="closesAt" name="closesAt" type="datetime-local" value="${sent?.get("closesAt") ?? ""}" required />
      </p>`,
    path: `/days/${scheme}/${date}/close-extension`,
    body(form) {
      const closesAt = readLocalTime(form.get("closesAt") ?? "", clock.zone);
      return closesAt === null ? "New time: a date and a time." : { window: Number(form.get("window") ?? "1"), closesAt };
    },
    command: `./sluice window extend ${scheme}:${date} --window N --closes-at INSTANT --reason TEXT`,
    secondPerson: "extend",
    verb: "Extend the close",
    runbook: "extend-a-close",
  };
};

/** The instant of a local time, with its offset; null: the text is no time. */
function readLocalTime(text: string, zone: string): string | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)) return null;
  return Temporal.PlainDateTime.from(text).toZonedDateTime(zone).toString({ timeZoneName: "never", smallestUnit: "second" });
}
