// Planted bugs of what is sealed and erased.

import type { PlantedBug } from "../planted-bug.ts";

const idToken = "packages/service/sign-in/id-token.ts";
const signInTests = ["packages/service/sign-in/sign-in.test.ts"];

const schemeTests = ["services/console/http/within-schemes.test.ts"];

export const secrecyBugs: readonly PlantedBug[] = [
  {
    id: "scheme-of-operator-not-held",
    breaks: "An operator of one scheme decides about a transaction of another.",
    edits: [
      {
        file: "packages/contracts/control/scheme-scopes.ts",
        find: "if (schemes === null || isOfSchemes(schemes, scheme)) return null;",
        put: "if (schemes === null || scheme !== null) return null;",
      },
    ],
    nearest: schemeTests,
  },
  {
    id: "overview-of-who-asked-before",
    breaks: "An operator of one scheme is given the overview that was made for another who asked just before.",
    edits: [
      {
        file: "services/console/outlook/show-overview.ts",
        find: "JSON.stringify(schemes?.toSorted() ?? null)",
        put: 'schemes === null ? "every" : "some"',
      },
    ],
    nearest: ["services/console/outlook/overview-of-schemes.test.ts"],
  },
  {
    id: "undelivered-of-every-scheme",
    breaks: "The overview tells an operator of one scheme how many messages of another wait, and for which banks.",
    edits: [
      {
        file: "services/console/outlook/show-overview.ts",
        find: "sumReceivers(undelivered.rows.filter(isOfOwnDay))",
        put: "sumReceivers(undelivered.rows)",
      },
    ],
    nearest: ["services/console/outlook/overview-of-schemes.test.ts"],
  },
  {
    id: "poll-without-answer-ends-sign-in",
    breaks: "One poll that the provider does not answer ends the sign-in of a person who is just entering the code.",
    edits: [
      {
        file: "packages/cli/terminal/sign-in/provider-client.ts",
        find: "const answer = await poll().catch(requireAway);",
        put: "const answer = await poll();",
      },
    ],
    nearest: ["packages/cli/terminal/sign-in/provider-client.test.ts"],
  },
  {
    id: "refresh-outlives-logout",
    breaks: "A refresh that was under way at a logout writes its tokens afterwards, and the person stays signed in.",
    edits: [
      {
        file: "packages/cli/terminal/sign-in/kept-sign-in.ts",
        find: "if (readSignIn(path)?.keyPem !== kept.keyPem) {",
        put: 'if (kept.keyPem === "") {',
      },
    ],
    nearest: ["packages/cli/terminal/sign-in/kept-sign-in.test.ts"],
  },
  {
    id: "command-line-of-any-client",
    breaks: "An access token that a person gave to another program is that person's at the control API.",
    edits: [
      {
        file: "packages/service/sign-in/signed-in.ts",
        find: "provider?.issuer !== client.issuer || provider.commandLineClient !== client.clientId",
        put: "provider?.issuer !== client.issuer || provider.commandLineClient === null",
      },
    ],
    nearest: ["packages/service/sign-in/signed-in.test.ts"],
  },
  {
    id: "actions-of-every-scheme",
    breaks: "The list of decisions shows an operator of one scheme what was decided about another.",
    edits: [
      {
        file: "services/console/audit/list-actions.ts",
        find: "{ decided: asked, schemes: schemes ?? undefined }",
        put: "{ decided: asked }",
      },
    ],
    nearest: schemeTests,
  },
  {
    id: "proposal-of-every-scheme",
    breaks: "An operator of one scheme confirms a proposal about another.",
    edits: [
      {
        file: "services/console/http/within-schemes.ts",
        find: 'schemeScopes[name] === "proposal" ?',
        put: 'schemeScopes[name] === "proposal" ? null : name === "confirmProposal" ?',
      },
    ],
    nearest: schemeTests,
  },
  {
    id: "erased-event-rendered-again",
    breaks: "An event of an erased message is rendered again for a bank that asks for it, without its names.",
    edits: [
      {
        file: "packages/contracts/messages/render/events-again.ts",
        find: "if (hasErasedMessage(serde, kept)) return [];",
        put: "",
      },
    ],
    nearest: ["services/console/own-transactions/past-events.test.ts"],
  },
  {
    id: "erased-event-never-passed",
    breaks: "A bank asks for the events of an erased transaction again and again: their list never ends.",
    edits: [
      {
        file: "services/console/own-transactions/find-events.ts",
        find: "await decodeWithErased(record, ports.serde)",
        put: "await decodeWithErased(record, ports.serde).then((one) => (one?.isErased === true ? null : one))",
      },
    ],
    nearest: ["services/console/own-transactions/erased-events.test.ts"],
  },
  {
    id: "sealed-name-in-clear",
    breaks: "The names of parties stand in clear beside what is sealed.",
    edits: [
      {
        file: "packages/secrecy/withhold.ts",
        find: 'else if (blank === "text") copy[name] = "";',
        put: 'else if (blank === "text") continue;',
      },
    ],
    nearest: ["packages/secrecy/sealing-serde.test.ts"],
  },
  {
    id: "nonce-without-content",
    breaks: "Two contents are sealed with one nonce, which gives both away.",
    edits: [
      {
        file: "packages/secrecy/cipher.ts",
        find: "  text.set(content, begin + associated.length);\n",
        put: "  text.fill(0, begin + associated.length);\n",
      },
    ],
    nearest: ["packages/secrecy/sealing-serde.test.ts"],
  },
  {
    id: "clear-without-key",
    breaks: "While the key service is away a message is stored in clear.",
    edits: [
      {
        file: "services/ingress/intake/prepare-record.ts",
        find: "return { ok: false, scope, subject };",
        put: "return { ok: true, subject, record: outgoingRecord(serde, topics.journal, key, decoded, carried) };",
      },
    ],
    nearest: ["services/ingress/seal-keys.test.ts"],
  },
  {
    id: "output-under-a-new-key",
    breaks: "What follows from a sealed message is in clear.",
    edits: [
      {
        file: "services/scheduler/handlers/render-outputs.ts",
        find: "const sealed = { ...options, sealUnder: { as: document.acceptedMessage } };",
        put: "const sealed = options;",
      },
    ],
    nearest: ["services/scheduler/sealed.test.ts"],
  },
  {
    id: "one-person-erases",
    breaks: "One person destroys the key of a bank's month.",
    edits: [
      {
        file: "services/console/decisions/erase-month.ts",
        find: "if (question.confirmedBy === undefined) return",
        put: 'if (question.actionId === "never") return',
      },
    ],
    nearest: ["services/console/decisions/erase-month.test.ts"],
  },
  {
    id: "secrets-in-every-service",
    breaks: "A service that calls no bank has the secrets with which others call banks.",
    edits: [
      {
        file: "packages/config/file/variables.ts",
        find: "if (!isWhole || environment[secretsLeftOut] === true) return unresolved;",
        put: "if (!isWhole) return unresolved;",
      },
    ],
    nearest: ["packages/config/file/read-configuration.test.ts"],
  },
  {
    id: "nonce-unchecked",
    breaks: "An ID token of another sign-in opens a session.",
    edits: [{ file: idToken, find: '|| payload["nonce"] !== nonce) return refused;', put: '|| nonce === "") return refused;' }],
    nearest: signInTests,
  },
  {
    id: "acr-unchecked",
    breaks: "A person who signed in without the second factor has a session.",
    edits: [
      {
        file: idToken,
        find: 'if (typeof acr !== "string" || !provider.acrValues.includes(acr))',
        put: 'if (typeof acr !== "string")',
      },
    ],
    nearest: signInTests,
  },
  {
    id: "claims-widen-roles",
    breaks: "Who administers the provider gives operators roles that the configuration does not give.",
    edits: [
      {
        file: "packages/service/sign-in/narrow-rights.ts",
        find: "const claimed = holder.roles.filter((role) => narrowing.roles?.includes(role) ?? true);",
        put: "const claimed = (narrowing.roles ?? holder.roles) as readonly Role[];",
      },
    ],
    nearest: ["packages/service/sign-in/narrow-rights.test.ts"],
  },
  {
    id: "sign-in-of-another-browser",
    breaks: "An address that the provider sent a person back to opens a session in any browser.",
    edits: [
      {
        file: "packages/service/sign-in/sign-in.ts",
        find: 'answer.get("state") !== flow.state',
        put: 'answer.get("state") === null',
      },
    ],
    nearest: signInTests,
  },
];
