// What each program does at the store and at the schema registry, read on the wire: each program reaches both through a
// proxy of its own, which notes what it sends.

import { createServer as createHttpServer, request } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import type { StoreAction } from "@sluice/store/rights";
import { BSON } from "mongodb";

/** The action that a command needs, and the member that names its collection; null: it needs none. */
const commands: Readonly<Record<string, { readonly action: StoreAction; readonly member?: string } | null>> = {
  find: { action: "find" },
  aggregate: { action: "find" },
  getMore: { action: "find", member: "collection" },
  insert: { action: "insert" },
  update: { action: "update" },
  delete: { action: "remove" },
  createIndexes: { action: "createIndex" },
  listIndexes: { action: "listIndexes" },
  drop: { action: "dropCollection" },
  // Of the database.
  listCollections: { action: "listCollections", member: "none" },
  saslStart: null,
  saslContinue: null,
  hello: null,
  ismaster: null,
  isMaster: null,
  ping: null,
  endSessions: null,
  killCursors: null,
};

const opMsg = 2013;
const headerBytes = 16;
const checksumFlag = 1;
const checksumBytes = 4;

/** Reads the command of an OP_MSG: the document of its first section of kind 0. Null for another message. */
function readCommand(message: Buffer): BSON.Document | null {
  if (message.readInt32LE(12) !== opMsg) return null;
  const hasChecksum = (message.readUInt32LE(headerBytes) & checksumFlag) !== 0;
  const end = message.length - (hasChecksum ? checksumBytes : 0);
  for (let at = headerBytes + 4; at < end;) {
    const kind = message.readUInt8(at);
    const size = message.readInt32LE(at + 1);
    if (kind === 0) return BSON.deserialize(message.subarray(at + 1, at + 1 + size), { useBigInt64: true });
    at += 1 + size;
  }
  return null;
}

/** The right that a command uses, as `find transactions`; a command that no right is known for is named with a `?`. */
function rightOf(command: BSON.Document): string | null {
  const [name = ""] = Object.keys(command);
  if (!Object.hasOwn(commands, name)) return `? ${name}`;
  const needed = commands[name] ?? null;
  if (needed === null) return null;
  const collection: unknown = command[needed.member ?? name];
  return `${needed.action} ${typeof collection === "string" ? collection.replace(/^transactions_\d+$/, "builds") : "(database)"}`;
}

/** Collects what a stream of messages says, which comes in pieces of any size. */
function createMessageReader(onMessage: (message: Buffer) => void): (piece: Buffer) => void {
  let left = Buffer.alloc(0);
  return (piece) => {
    left = Buffer.concat([left, piece]);
    while (left.length >= headerBytes && left.length >= left.readInt32LE(0)) {
      const size = left.readInt32LE(0);
      onMessage(left.subarray(0, size));
      left = left.subarray(size);
    }
  };
}

export interface ServerUses {
  /** As `scheduler: find transactions`, with the first command that used the right, without its documents. */
  readonly store: ReadonlyMap<string, BSON.Document>;
  /** As `scheduler: read` and `provision: write`. */
  readonly registry: ReadonlySet<string>;
  /** The addresses at which a program reaches both. */
  variablesOf(program: string): Promise<{ readonly MONGO_URL: string; readonly SCHEMA_REGISTRY_URL: string }>;
}

interface Addresses {
  readonly mongoUrl: string;
  readonly schemaRegistryUrl: string;
}

/** `opened` ends the proxies. */
export function recordServerUses(opened: AsyncDisposableStack, servers: Addresses): ServerUses {
  const [store, registry] = [new Map<string, BSON.Document>(), new Set<string>()];
  const known = new Map<string, ReturnType<ServerUses["variablesOf"]>>();

  async function open(program: string): ReturnType<ServerUses["variablesOf"]> {
    const note = (command: BSON.Document): void => {
      const right = rightOf(command);
      if (right !== null) store.set(`${program}: ${right}`, store.get(`${program}: ${right}`) ?? command);
    };
    const storePort = await listen(opened, openStoreProxy(servers.mongoUrl, note));
    const registryPort = await listen(
      opened,
      openRegistryProxy(servers.schemaRegistryUrl, (access) => registry.add(`${program}: ${access}`)),
    );
    const address = new URL(servers.mongoUrl);
    address.host = `127.0.0.1:${storePort}`;
    return {
      MONGO_URL: address.href,
      SCHEMA_REGISTRY_URL: `http://127.0.0.1:${registryPort}${new URL(servers.schemaRegistryUrl).pathname}`,
    };
  }

  return {
    store,
    registry,
    variablesOf(program) {
      const variables = known.get(program) ?? open(program);
      known.set(program, variables);
      return variables;
    },
  };
}

function openStoreProxy(url: string, note: (command: BSON.Document) => void): Server {
  const { hostname, port } = new URL(url.replace(/^mongodb:/, "http:"));
  return createServer((near) => {
    const far = connect(Number(port || 27_017), hostname);
    const read = createMessageReader((message) => {
      const command = readCommand(message);
      if (command !== null) note(command);
    });
    near.on("data", read);
    near.pipe(far).pipe(near);
    near.on("error", () => far.destroy()).on("close", () => far.destroy());
    far.on("error", () => near.destroy()).on("close", () => near.destroy());
  });
}

function openRegistryProxy(url: string, note: (access: "read" | "write") => void): Server {
  return createHttpServer((asked, answer) => {
    const isRead = asked.method === "GET" || (asked.method === "POST" && /\/subjects\/[^/]+$/.test(asked.url ?? ""));
    note(isRead ? "read" : "write");
    const { method, headers } = asked;
    const passed = request(new URL(asked.url ?? "/", url), { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    passed.once("error", () => answer.destroy());
    asked.pipe(passed);
  });
}

async function listen(opened: AsyncDisposableStack, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.defer(() => void server.close());
  return (server.address() as AddressInfo).port;
}
