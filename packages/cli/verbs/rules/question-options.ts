// The options by which a person asks about an account, in `rules check` and `rules explain`.

import { rulesFolderOptions } from "./rules-terminal.ts";
import { jsonOption, type VerbOptions } from "../../terminal/verb.ts";

export const questionOptions = {
  rule: { type: "string", placeholder: "RULE", text: "the rule", choices: ["za-cdv", "iban", "uk-modulus"], isRequired: true },
  account: { type: "string", placeholder: "NUMBER", text: "account number, or the IBAN", isRequired: true },
  branch: { type: "string", placeholder: "CODE", text: "branch or sort code, six digits" },
  type: {
    type: "string",
    placeholder: "TYPE",
    text: "1, 2, 3, 4, 6, or CACC, SVGS, TRAN, LOAN; none: any type that the bank has",
  },
  direction: { type: "string", placeholder: "DIRECTION", text: "of the payment (debit)", choices: ["debit", "credit"] },
  date: { type: "string", placeholder: "DATE", text: "the day of the decision, YYYY-MM-DD (today)" },
  "rule-version": { type: "string", placeholder: "VERSION", text: "data of that version (what is in force on the day)" },
  "refuse-on": {
    type: "string",
    placeholder: "CONFIDENCE",
    text: "as in the configuration file, else high",
    choices: ["high", "medium"],
  },
  ...rulesFolderOptions,
  json: jsonOption,
} as const satisfies VerbOptions;
