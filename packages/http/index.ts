export * from "./caller-limits.ts";
export * from "./callers.ts";
export * from "./listen.ts";
export * from "./ops-app.ts";
export * from "./problem.ts";
export * from "./read-body.ts";
export * from "./tokens.ts";
