export { noteAccess } from "./access-report.ts";
export type { AuditLog } from "./audit-log.ts";
export { openAudit, type ServiceAudit } from "./open-audit.ts";
export { readAudit, readAuditEnds } from "./read-audit.ts";
export { type AuditKeys, readAuditKeys } from "./seal.ts";
export { startSealer } from "./sealer.ts";
export { type AuditReport, createAuditVerifier, type KeptSeal } from "./verify.ts";
