export { createDataKeys, type DataKeys } from "./data-keys.ts";
export { type KeyService, isScope, scopeFor } from "./key-service.ts";
export { openKeyring } from "./keyring/keyring.ts";
export { createSealingSerde } from "./sealing-serde.ts";
export { createSearchHashes, type SearchHashes } from "./search-hashes.ts";
export { createVaultKeys } from "./vault/vault-keys.ts";
