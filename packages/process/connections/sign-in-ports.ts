// How the console reaches the provider at which operators sign in.
//
// #1 Each question has a connection of its own, over TLS with the machine's authorities or the provider's own. It has
//    `answerTimeoutMs`, because a person waits for it.

import { createSecureContext } from "node:tls";
import { readSecretFile, requestText } from "@sluice/connection";
import type { SignInPorts } from "@sluice/service";
import type { Need } from "../needs.ts";
import { loadKeySet } from "./token-ports.ts";

const answerTimeoutMs = 5_000;

export const signInPorts: Need<SignInPorts, never> = {
  variables: [],
  open: ({ time }) => ({
    // #1
    async ask({ caFile, ...question }) {
      const isTls = question.url.startsWith("https:") && caFile !== null;
      const tls = isTls ? { secureContext: createSecureContext({ ca: await readSecretFile(caFile) }) } : {};
      return await requestText({ ...question, ...tls, time, timeoutMs: answerTimeoutMs });
    },
    readFile: async (path) => String(await readSecretFile(path)),
    loadKeySet: async (issuer) => await loadKeySet(issuer, time),
  }),
};
