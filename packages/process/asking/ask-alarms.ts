// Asks an Alertmanager which alarms fire.
//
// #1 Nothing here rejects: the reason why there is no answer, or one that is too long, is an answer too.
// #2 A redirect is not followed, and the certificate is checked: people act on what it says.

import type { Time } from "@sluice/kernel";
import type { Need } from "../needs.ts";

/** The JSON text of what fires, or why nobody knows. */
export type AskedAlarms = { readonly kind: "answered"; readonly text: string } | { readonly kind: "silent"; readonly failure: string };
export type AskAlarms = () => Promise<AskedAlarms>;

const answerTimeoutMs = 3_000;
const answerBytesMax = 2 * 1024 * 1024;
/** What follows from another alarm is not shown besides it, as it is no notice; what somebody silenced still fires. */
const query = new URLSearchParams({ active: "true", silenced: "true", inhibited: "false", filter: 'alertname=~"Sluice.*"' });

/** Asks the Alertmanager at this address; null: none is configured. */
export const askAlarms: Need<AskAlarms | null, "SLUICE_ALARMS_URL"> = {
  variables: ["SLUICE_ALARMS_URL"],
  open: ({ environment, time }) => createAskAlarms(environment.SLUICE_ALARMS_URL, time),
};

export function createAskAlarms(url: string | null, time: Time): AskAlarms | null {
  if (url === null) return null;
  const address = `${url}/api/v2/alerts?${query.toString()}`;
  return async () => {
    const stopping = new AbortController();
    using _limit = time.after(answerTimeoutMs, () => stopping.abort(new Error(`no answer within ${answerTimeoutMs / 1_000} s`)));
    try {
      const answer = await fetch(address, { redirect: "manual", signal: stopping.signal, headers: { accept: "application/json" } });
      if (answer.status !== 200) {
        await answer.body?.cancel();
        return { kind: "silent", failure: `it answers HTTP ${answer.status}` };
      }
      return { kind: "answered", text: await readText(answer) };
    } catch (error) {
      return { kind: "silent", failure: failureText(error) };
    }
  };
}

async function readText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes > answerBytesMax) throw new Error("the answer is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** The code of the system where there is one: ECONNREFUSED says more than that a fetch failed. */
function failureText(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  const { cause } = error;
  const code: unknown = cause instanceof Error ? Reflect.get(cause, "code") : null;
  if (typeof code === "string") return code;
  return cause instanceof Error ? cause.message : error.message;
}
