export * from "./access-token.ts";
export * from "./request.ts";
export * from "./secret-files.ts";
export * from "./tls.ts";
