// What every attempt of one message sends, masked.

import { html } from "hono/html";
import { queryText, type Asked } from "../asked.ts";
import { count, facts, link, mark } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";

export async function showRequestPage({ api, params, query }: Asked): Promise<PageContent> {
  const uetr = (params["uetr"] ?? "").toLowerCase();
  const [of, offset] = [query.get("of") ?? "dispatch", query.get("offset") ?? ""];
  const path = `/transactions/${encodeURIComponent(uetr)}`;
  const sent = await api.read("showSentRequest", `${path}/request${queryText({ of, offset })}`);
  return {
    title: `Request ${sent.id}`,
    section: "search",
    command: `./sluice request ${uetr} --of ${of} --offset ${offset}`,
    runbook: "some-messages-fail-for-ever",
    body: html`<p>${link(path, html`Transaction <code>${uetr}</code>, with the answers of each attempt`)}</p>
      ${facts([
        ["To", link(`/banks/${sent.receiver}`, sent.receiver)],
        ["Operation", sent.operation],
        ["Webhook id", html`<code>${sent.id}</code>`],
        ["Bytes", count(sent.bytes)],
        ["SHA-256", html`<code>${sent.sha256}</code>`],
      ])}
      <h2 id="body">Body, masked</h2>
      ${
        sent.body === null
          ? html`<p>${mark("warns", "It is no JSON text, so nothing of it is shown.")}</p>`
          : html`<div class="scrolls" role="region" aria-labelledby="body" tabindex="0"><pre>${sent.body}</pre></div>`
      }
      <p class="quiet">
        Every attempt sends these bytes. Persons and accounts are masked; the digest is of the bytes as they are sent. Signature, token and
        time of an attempt are made when it is sent, and kept nowhere.
      </p>`,
  };
}
