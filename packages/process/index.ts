export { runProcess } from "./run-process.ts";
