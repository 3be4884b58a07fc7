export { runService, type ServiceContext } from "./run-process.ts";
