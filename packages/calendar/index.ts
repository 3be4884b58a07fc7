export * from "./calendar.ts";
