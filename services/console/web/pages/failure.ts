// What is shown in place of a page that cannot be made: what is wrong, and what to do about it.

import { html } from "hono/html";
import { Fault, type Logger } from "@sluice/kernel";
import { ApiRefusal } from "../api-client.ts";
import type { PageContent } from "../parts/layout.ts";

const advice: Readonly<Record<number, string>> = {
  400: "Correct the address or the form, and ask again.",
  403: "Ask somebody who may. The configuration file gives roles, banks and schemes.",
  404: "Look for it by another identification.",
  409: "Things have changed since the page was made. Open it again and look.",
  429: "Wait a second, and load the page again.",
  503: "Load the page again. If it stays so, ./sluice status and what the services log say why.",
};

const shown: ReadonlySet<number> = new Set([403, 404, 409, 422, 429, 503]);

export function renderFailure(error: unknown, logger: Logger): PageContent {
  if (error instanceof ApiRefusal && error.status === 401) throw error;
  if (!(error instanceof ApiRefusal) && !(error instanceof Fault)) logger.error("console.page-failed", { error });
  const known = error instanceof ApiRefusal ? error : new ApiRefusal(500, "Internal error", "The page could not be made.");
  const status = known.status === 400 ? 422 : shown.has(known.status) ? known.status : 500;
  return {
    title: known.title,
    section: null,
    command: "./sluice status",
    status: isShown(status) ? status : 500,
    body: html`<div class="problem" role="alert">
      <p>${known.detail}</p>
      <p>${advice[known.status] ?? "Look at what the console logged."}</p>
    </div>`,
  };
}

function isShown(status: number): status is 403 | 404 | 409 | 422 | 429 | 503 {
  return shown.has(status);
}
