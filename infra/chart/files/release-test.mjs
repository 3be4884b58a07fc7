// `helm test` of a release. Arguments: http or https, the release's name, its services.
//
// #1 Every service has a pod that answers /readyz with 200.
// #2 Ingress refuses a debit that has no token, so nothing is stored.
// #3 No secret is sent, so the certificate of the pods is not checked.
// #4 Names are looked up as the C library does: `resolve4` leaves out the search domains of the pod, and would find no
//    Service by its short name.

import { lookup } from "node:dns/promises";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

const [scheme, release, services] = process.argv.slice(-3);
const answerMs = 5_000;
const tryMs = 2_000;
const tries = 30;

function ask(host, port, path, method = "GET") {
  const request = scheme === "https" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const asked = request({ host, port, path, method, timeout: answerMs, rejectUnauthorized: false }, (answer) => {
      const parts = [];
      answer.on("data", (part) => parts.push(part));
      answer.on("end", () => resolve({ status: answer.statusCode, text: Buffer.concat(parts).toString() }));
    });
    asked.on("timeout", () => asked.destroy(new Error(`${host}:${port} does not answer`)));
    asked.on("error", reject);
    asked.end();
  });
}

async function check() {
  const ready = new Set();
  for (const { address } of await lookup(`${release}-ops`, { all: true, family: 4 })) {
    const { status, text } = await ask(address, 9464, "/readyz").catch(() => ({ status: 0, text: "" }));
    if (status === 200) ready.add(JSON.parse(text).service);
  }
  const missing = services.split(",").filter((service) => !ready.has(service));
  if (missing.length > 0) throw new Error(`not ready: ${missing.join(", ")}`);
  const { status } = await ask(`${release}-ingress`, 8080, "/transactions/outbound/direct-debit", "POST");
  if (status !== 401) throw new Error(`a debit without a token was answered ${status}, not 401`);
}

for (let left = tries; ; left -= 1) {
  try {
    await check();
    console.log("every service is ready, and a debit without a token is refused");
    break;
  } catch (error) {
    console.log(String(error));
    if (left === 1) process.exit(1);
    await new Promise((resolve) => setTimeout(resolve, tryMs));
  }
}
