export { checkAccount, isRefusal } from "./check-account.ts";
export type { AccountAnswer, AccountQuestion, ExactQuestion } from "./check-account.ts";
export type { ReasonCode, Result } from "./judgement.ts";
export { inOrder, ruleNames, shippedRules } from "./rule-book.ts";
export type { RuleBook, RuleName, RuleVersion } from "./rule-book.ts";
export type { UkModulusData, UkRow } from "./uk-modulus-data.ts";
export { readCdvData, zaCdv } from "./za-cdv-data.ts";
export type { CdvData, CdvRange, CdvRow } from "./za-cdv-data.ts";
