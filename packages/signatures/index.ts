export * from "./message-keys.ts";
export type { RequestHead } from "./signature-base.ts";
export * from "./sign-message.ts";
export * from "./signing-key.ts";
export * from "./verify-request.ts";
export * from "./operator-records.ts";
export * from "./operator-judge.ts";
