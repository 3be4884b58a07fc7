// How a connection to a broker is secured: TLS, and who we are.
//
// #1 Every new connection takes the certificate, authorities, password or token that are in force now.
// #2 A broker that refuses who we are is tried again as one that is away, because a secret may be replaced on both
//    sides at different times. kafkajs would end a consumer for good.
// #3 No error and no log line repeats a secret.

import { connect as connectTcp, isIP } from "node:net";
import { connect as connectTls, type SecureContext } from "node:tls";
import kafkajs, { type Authenticator, type AuthenticationProviderArgs, type ISocketFactory, type Mechanism } from "kafkajs";
import oauthBearer from "kafkajs/src/broker/saslAuthenticator/oauthBearer.js";
import plain from "kafkajs/src/broker/saslAuthenticator/plain.js";
import scram256 from "kafkajs/src/broker/saslAuthenticator/scram256.js";
import scram512 from "kafkajs/src/broker/saslAuthenticator/scram512.js";

export type KafkaLogin =
  | {
      readonly mechanism: "plain" | "scram-sha-256" | "scram-sha-512";
      readonly username: string;
      /** The password in force now. */
      readonly password: () => string;
    }
  | {
      readonly mechanism: "oauthbearer";
      /** A token that is valid now. */
      readonly token: () => Promise<string>;
    };

const keepAliveMs = 60_000;

/** Without `tls` connections are plain. #1 */
export function createSocketFactory(tls?: () => SecureContext): ISocketFactory {
  return ({ host, port, onConnect }) => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket =
      tls === undefined
        ? connectTcp({ host, port }, onConnect)
        : connectTls({ host, port, ...name, secureContext: tls(), rejectUnauthorized: true }, onConnect);
    return socket.setKeepAlive(true, keepAliveMs);
  };
}

/** #1 */
export function createMechanism(login: KafkaLogin): Mechanism {
  return {
    mechanism: login.mechanism,
    authenticationProvider: (asked: AuthenticationProviderArgs): Authenticator => ({
      async authenticate() {
        try {
          await authenticatorOf(login, asked).authenticate();
        } catch (error) {
          throw refusedLogin(login, asked, error);
        }
      },
    }),
  };
}

function authenticatorOf(login: KafkaLogin, asked: AuthenticationProviderArgs): Authenticator {
  if (login.mechanism === "oauthbearer") {
    return oauthBearer({ oauthBearerProvider: async () => ({ value: await login.token() }) })(asked);
  }
  const known = { username: login.username, password: login.password() };
  if (login.mechanism === "plain") return plain(known)(asked);
  return (login.mechanism === "scram-sha-256" ? scram256 : scram512)(known)(asked);
}

/** #2, #3 */
function refusedLogin({ mechanism }: KafkaLogin, { host, port }: AuthenticationProviderArgs, error: unknown): Error {
  const why = error instanceof Error ? error.message : "no reason given";
  return new kafkajs.KafkaJSConnectionError(`no login by ${mechanism}: ${why}`, { broker: `${host}:${port}` });
}
