import { createPrivateKey, X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { createCertificateAuthority } from "./certificates.ts";

const nowMs = Date.UTC(2026, 10, 22, 3, 0, 0);

test("Node reads a certificate that an authority signed, matches its hosts, and verifies it by that authority alone", () => {
  const authority = createCertificateAuthority("Tests", nowMs);
  const root = new X509Certificate(authority.pem);
  expect([root.ca, root.subject, root.verify(root.publicKey)]).toEqual([true, "CN=Tests", true]);
  const { certificatePem, keyPem } = authority.issue({ name: "bank", hosts: ["bank.test", "127.0.0.1"] });
  const bank = new X509Certificate(certificatePem);
  expect([bank.ca, bank.issuer, bank.checkHost("bank.test"), bank.checkIP("127.0.0.1")]).toEqual([
    false,
    "CN=Tests",
    "bank.test",
    "127.0.0.1",
  ]);
  expect(bank.checkHost("other.test")).toBeUndefined();
  expect([bank.validFromDate.getTime(), bank.validToDate.getTime()]).toEqual([nowMs - 86_400_000, nowMs + 86_400_000]);
  expect([bank.checkPrivateKey(createPrivateKey(keyPem)), bank.checkIssued(root), bank.verify(root.publicKey)]).toEqual([true, true, true]);
  const other = new X509Certificate(createCertificateAuthority("Tests", nowMs).pem);
  expect(bank.verify(other.publicKey)).toBe(false);
});
