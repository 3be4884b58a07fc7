// The page of a decision, and what happens to its form.
//
// #1 Nothing is decided without a page that showed what it does, and a reason.
// #2 A page carries the decision's id: a form that is sent twice counts once.
// #3 What was shown is what is sent: what a confirmation names stands in the form itself.
// #4 Who may not decide hears it before anything is filled in. A form that was refused keeps what was filled in.

import { controlOperations } from "@sluice/contracts";
import { html } from "hono/html";
import { ApiRefusal } from "../api-client.ts";
import { queryText, type Asked, type Elsewhere } from "../asked.ts";
import { mark, type Html } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";
import type { PrepareDecision, PreparedDecision } from "./decision-form.ts";
import { readDecidedTogether } from "./decided-together.ts";
import { prepareCheck, prepareOwnCheck, preparePause, prepareResume } from "./on-banks.ts";
import { prepareReplays } from "./on-letters.ts";
import { prepareBankRedrive } from "./on-refused.ts";
import { prepareItemNote } from "./on-items.ts";
import { prepareConfirmation, prepareRejection, prepareRetraction } from "./on-proposals.ts";
import { prepareCreditsFinal, prepareExtension, prepareGateOpening } from "./on-days.ts";
import {
  preparePauses,
  prepareResolutionConfirmations,
  prepareResolutionRejections,
  prepareResolutions,
  prepareResumptions,
  prepareWithdrawals,
} from "./on-several.ts";
import {
  prepareResolutionConfirmation,
  prepareResolutionRejection,
  prepareRedrive,
  prepareLetterReplay,
  prepareTransactionReplay,
  prepareResolution,
  prepareStop,
  prepareWithdrawal,
} from "./on-transactions.ts";

const decisions: ReadonlyMap<string, PrepareDecision> = new Map(
  Object.entries({
    withdrawDebit: prepareWithdrawal,
    withdrawDebits: prepareWithdrawals,
    resolveItems: prepareResolutions,
    confirmResolutions: prepareResolutionConfirmations,
    rejectResolutions: prepareResolutionRejections,
    pauseBanks: preparePauses,
    resumeBanks: prepareResumptions,
    redriveDelivery: prepareRedrive,
    stopDelivery: prepareStop,
    redriveBank: prepareBankRedrive,
    resolveItem: prepareResolution,
    confirmResolution: prepareResolutionConfirmation,
    rejectResolution: prepareResolutionRejection,
    noteItem: prepareItemNote,
    replayTransaction: prepareTransactionReplay,
    replayDeadLetter: prepareLetterReplay,
    replayDeadLetters: prepareReplays,
    declareCreditsFinal: prepareCreditsFinal,
    openGate: prepareGateOpening,
    extendClose: prepareExtension,
    checkBank: prepareCheck,
    checkOwnBank: prepareOwnCheck,
    pauseBank: preparePause,
    resumeBank: prepareResume,
    confirmProposal: prepareConfirmation,
    rejectProposal: prepareRejection,
    retractProposal: prepareRetraction,
  }),
);

export async function prepareDecision(asked: Asked): Promise<PageContent> {
  const prepared = await prepare(asked);
  const missing = findMissingRole(asked);
  return renderDecision(asked, prepared, missing === null ? null : { status: 403, text: `This needs the role ${missing}.`, isFinal: true });
}

export async function decideByForm(asked: Asked): Promise<PageContent | Elsewhere> {
  const prepared = await prepare(asked);
  const form = asked.form ?? new URLSearchParams();
  const body = prepared.body(form);
  if (typeof body === "string") return renderDecision(asked, prepared, { status: 422, text: body });
  try {
    const reason = (form.get("reason") ?? "").trim();
    const answer = await asked.api.send(prepared.path, { ...body, reason }, form.get("actionId") ?? asked.newActionId());
    const together = readDecidedTogether(answer, asked.clock.nowMs);
    if (together === null) return { location: findResult(answer, asked.params["name"] === "checkOwnBank") };
    asked.outcomes.keep(together);
    return { location: `/outcomes/${encodeURIComponent(together.action)}` };
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status === 401) throw error;
    const status = error.status === 409 || error.status === 403 || error.status === 503 ? error.status : 422;
    return renderDecision(asked, prepared, { status, text: error.detail });
  }
}

async function prepare(asked: Asked): Promise<PreparedDecision> {
  const found = decisions.get(asked.params["name"] ?? "");
  if (found === undefined) throw new ApiRefusal(404, "Not known", "There is no such decision.");
  return await found(asked);
}

/** #4 */
function findMissingRole({ params, me }: Asked): string | null {
  const role = controlOperations.find(({ name }) => name === params["name"])?.role ?? null;
  return role === null || me.roles.includes(role) ? null : role;
}

/** A decision that is stored has a result; a proposal is in its list, open or ended. */
function findResult({ schema, action, key, id, bank }: Readonly<Record<string, unknown>>, isOwn: boolean): string {
  if (schema === "CheckRequested" && typeof bank === "string") return `/${isOwn ? "own" : "banks"}/${encodeURIComponent(bank)}#endpoints`;
  if ((schema === "DecisionProposed" || schema === "ProposalEnded") && typeof id === "string") return `/proposals#${id}`;
  if (typeof action === "string" && typeof key === "string") return `/decided/${encodeURIComponent(action)}${queryText({ key })}`;
  return "/dead-letters";
}

interface Problem {
  readonly status: 403 | 409 | 422 | 503;
  readonly text: string;
  /** Nothing that is filled in could change it. */
  readonly isFinal?: boolean;
}

function renderDecision(asked: Asked, prepared: PreparedDecision, problem: Problem | null): PageContent {
  const { title, command, runbook } = prepared;
  return {
    title,
    section: null,
    command,
    runbook,
    body: renderForm(asked, prepared, problem),
    ...(problem === null ? {} : { status: problem.status }),
  };
}

function renderForm(asked: Asked, prepared: PreparedDecision, problem: Problem | null): Html {
  const { preview, warning } = prepared;
  return html`${problem === null ? "" : html`<div class="problem" role="alert"><p>${problem.text}</p></div>`}
    <section class="preview" aria-labelledby="preview">
      <h2 id="preview">What it does</h2>
      ${preview}
    </section>
    <p class="warning">${mark("warns", warning)}</p>
    ${problem?.isFinal === true ? "" : renderInputs(asked, prepared, problem)}`;
}

function renderInputs({ form, formToken, me, newActionId }: Asked, prepared: PreparedDecision, problem: Problem | null): Html {
  const { fields, verb, secondPerson } = prepared;
  const isShared = secondPerson !== null && me.secondPerson.includes(secondPerson);
  // A person who was refused decides once more: that is another decision, unless nobody knows whether it was stored.
  const actionId = problem !== null && problem.status === 503 ? (form?.get("actionId") ?? newActionId()) : newActionId();
  return html`<form class="decision" method="post">
    <input type="hidden" name="formToken" value="${formToken}" /><input type="hidden" name="actionId" value="${actionId}" />
    ${fields}
    <p>
      <label for="reason">Reason <span class="quiet">kept for good; name no person and no account</span></label>
      <textarea id="reason" name="reason" required maxlength="500" rows="3">${form?.get("reason") ?? ""}</textarea>
    </p>
    ${isShared ? html`<p>${mark("waits", "It takes effect when a second person has confirmed it.")}</p>` : ""}
    <p><button class="danger">${isShared ? `Propose: ${verb.toLowerCase()}` : verb}</button></p>
  </form>`;
}
