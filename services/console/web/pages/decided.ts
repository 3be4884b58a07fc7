// What became of a decision. It takes effect where its aggregate comes to its record, usually within a second.

import { html } from "hono/html";
import { ApiRefusal } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { facts, link, mark, type Html } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";

const tones = { applied: "good", ignored: "quiet", refused: "bad" } as const;

export async function showDecided({ api, params, query }: Asked): Promise<PageContent> {
  const id = params["action"] ?? "";
  const key = query.get("key") ?? "";
  const path = `/actions/${encodeURIComponent(id)}${queryText({ key })}`;
  const action = await api.readObject(path).catch((error: unknown) => {
    if (error instanceof ApiRefusal && error.status === 404) return null;
    throw error;
  });
  const about = key.startsWith("bank:") ? `/banks/${key.slice(5)}` : key.includes(":") ? `/days/${key}` : `/transactions/${key}`;
  return {
    title: "Decision",
    section: null,
    command: `./sluice tx ${key}`,
    isLive: action === null,
    body: html`${action === null ? renderOpen() : renderAction(action)}
    ${facts([
      ["About", link(about, key)],
      ["Id", html`<code>${id}</code>`],
    ])}`,
  };
}

function renderOpen(): Html {
  return html`<p class="line big">${mark("waits", "stored")}</p>
    <p>The decision is in the journal. It takes effect, or is refused, in a moment.</p>`;
}

function renderAction({ result, kind, explained, reason, operator, awaitsConfirmation }: Readonly<Record<string, unknown>>): Html {
  const known = result === "applied" || result === "ignored" ? result : "refused";
  const isAwaited = awaitsConfirmation === true;
  const outcome = isAwaited ? mark("waits", "waits for a second person") : mark(tones[known], known);
  return html`<p class="line big">${outcome} <span>${kind}</span></p>
    <p>
      ${isAwaited ? html`It is proposed. Another person confirms it: ${link("/reconciliation?proposed=yes", "what waits for one")}.` : (explained ?? "")}
    </p>
    ${facts([
      ["By", operator],
      ["Reason", html`<q>${reason}</q>`],
    ])}`;
}
