// Reasons for which no connection was attempted or trusted: nothing of the message was sent, and only people can mend
// it, at the receiver or in the configuration. They are codes, so that the retry law knows them while only the gateway
// makes them.

/** Node's codes for a certificate that is not accepted; Node checks it before anything is sent. */
const certificateCodes = [
  "CERT_CHAIN_TOO_LONG",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "ERROR_IN_CERT_NOT_AFTER_FIELD",
  "ERROR_IN_CERT_NOT_BEFORE_FIELD",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
  "UNABLE_TO_DECRYPT_CERT_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
] as const;

/**
 * `credentials-not-read`: a credentials file is missing or wrong. `proxy-authentication-required`: the proxy answered
 * 407, so it wants credentials, or others. `proxy-refused`: it answered another 4xx.
 */
export const connectRefusals = [
  "address-not-allowed",
  "tls-required",
  "credentials-not-read",
  "proxy-authentication-required",
  "proxy-refused",
  ...certificateCodes,
] as const;
