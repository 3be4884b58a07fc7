export { checkAccount, isRefusal } from "./check-account.ts";
export type { AccountAnswer, AccountQuestion } from "./check-account.ts";
export type { ReasonCode, Result } from "./za-cdv.ts";
export { readCdvData, zaCdv } from "./za-cdv-data.ts";
export type { CdvData, CdvRange, CdvRow } from "./za-cdv-data.ts";
