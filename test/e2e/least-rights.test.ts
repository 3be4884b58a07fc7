// Everything that programs do at the broker, at the store and at the registry, with exactly their rights. At the broker
// each service has a user of its own, and provisioning has made its ACLs of packages/contracts/rights; the broker logs
// every decision about a right. At the store each program has a user with the role of packages/store/rights, and what a
// role does not let it do is refused. The commands to the store and the registry are also read on the wire.
//
// #1 No decision refuses a service, and each right is used. So none is missing, and none is too much. One right is left
//    out: the console reads state events only once retention has removed events.
// #2 No command to the store is without a right of packages/store/rights, and each right but those of `notNeeded` is
//    used by a command. Only provisioning writes the registry.
// #3 Without one of its rights at the store a program is refused the command that used it.

import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brokerRightsOf, brokerServices, headers, partitionCountDefault, partitionFor, topics } from "@sluice/contracts";
import { type SecuredBrokers, startBrokerWithRights } from "@sluice/environment";
import { projectRoot } from "@sluice/environment/run-program";
import { machineTime } from "@sluice/kernel";
import { securedMongo, storeUsersFile } from "@sluice/local-servers/secured-mongo";
import { type StoreUser, writeStoreUsers } from "@sluice/local-servers/store-users";
import { buildStoreRoles, type StoreProgram, storePrograms, storeUses } from "@sluice/store/rights";
import { reportSettled } from "@sluice/testkit";
import { MongoClient, MongoServerError } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type E2eEnvironment, openE2eEnvironment } from "./environment/environment.ts";
import { createCases } from "./parties/cases.ts";
import { flows } from "./parties/flows.ts";
import { askControl, decideAndApply, decideOnce, readRows } from "./parties/operators.ts";
import { enteredStates, untilHolds, untilState } from "./recorded/evidence.ts";
import { recordServerUses, type ServerUses } from "./recorded/server-uses.ts";

const banks = [
  { id: "acacia", branch: "250655" },
  { id: "baobab", branch: "250656" },
];
const operators = [{ id: "thandi", roles: ["read", "act"] }] as const;
/** A schema that no registry has. */
const unknownSchema = Buffer.from([0, 0, 127, 255, 255, 0]);
/** Milliseconds within which the audit is sealed: a minute, and a start on a busy machine. */
const sealedMaxMs = 120_000;
const extendedByMs = 10 * 3_600_000;
const buildsMax = 8;
const unauthorized = 13;
const addedByDriver = new Set(["lsid", "$db", "$clusterTime"]);

const opened = new AsyncDisposableStack();
let broker: SecuredBrokers;
let environment: E2eEnvironment;
let uses: ServerUses;
let loginOf: (program: string) => Readonly<Record<string, string>>;
const { caseFor, submit } = createCases(() => environment, banks);

const root: StoreUser = { user: "root", password: "secret-root", privileges: null };
const storePassword = (user: string): string => `secret-store-${user}`;

/** The users of the store, one for each program; `without` takes one right away. */
function storeUsers(database: string, without: string | null): readonly StoreUser[] {
  const roles = buildStoreRoles(database, buildsMax);
  return [
    root,
    ...roles.map(({ role, privileges }): StoreUser => ({
      user: role,
      password: storePassword(role),
      privileges: privileges.map(({ resource, actions }) => ({
        resource,
        actions: actions.filter((action) => `${role}: ${action} ${placeOf(resource.collection)}` !== without),
      })),
    })),
  ];
}

/** As the wire and the table name it. */
function placeOf(collection: string): string {
  return collection === "" ? "(database)" : collection.replace(/^transactions_\d+$/, "builds");
}

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-audit-"));
  opened.defer(() => rm(folder, { recursive: true }));
  const keyFile = join(folder, "key.pem");
  const { privateKey } = generateKeyPairSync("ed25519");
  await writeFile(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  broker = await startBrokerWithRights(opened);
  const references = { SLUICE_AUDIT_KEY_FILE: keyFile };
  const files = new Map<string, string>();
  for (const program of storePrograms) {
    const file = join(folder, `${program}.password`);
    await writeFile(file, storePassword(`sluice-${program}`), { mode: 0o600 });
    files.set(program, file);
  }
  loginOf = (program) => {
    const file = files.get(program);
    return file === undefined ? {} : { MONGO_USERNAME: `sluice-${program}`, MONGO_PASSWORD_FILE: file };
  };
  environment = opened.use(
    await openE2eEnvironment(banks, "clock", {
      brokers: broker,
      operators,
      secondPerson: ["extend"],
      references,
      guardStore: (database) => ({ ...root, server: securedMongo({ users: storeUsers(database, null), tls: null }) }),
      reach(servers) {
        uses = recordServerUses(opened, servers);
        return async (program) => ({ ...(await uses.variablesOf(program)), ...loginOf(program) });
      },
    }),
  );
  for (const { id } of banks) {
    const settles = (["inboundDirectDebit", "inboundCreditTransferAuthorization"] as const).map((operation) => ({
      operation,
      reports: [reportSettled()],
    }));
    environment.bank(id).addRules(settles);
  }
}, 300_000);
afterAll(() => opened.disposeAsync());

test.each(["on-us", "off-us", "credit"] as const)("I6: a journey of the flow %s ends well, and its timeline can be read", async (flow) => {
  const journey = caseFor(flow, "journey", "baobab");
  await submit(journey);
  const transaction = await untilState(environment, journey.uetr, flows[flow].path.at(-1) ?? "");
  expect(enteredStates(transaction)).toEqual(flows[flow].path);
  const { uetr } = journey;
  expect(await askControl(environment, "thandi", `/transactions/${uetr}`)).toMatchObject({ timeline: { uetr } });
});

/** Appends a record that stops the partition of each service, and has an operator skip it. */
async function skip(topic: string, key: string, type: string, services: readonly string[]): Promise<void> {
  const producer = await environment.messaging.producer("e2e-newer-writer");
  const partition = partitionFor(key, partitionCountDefault);
  const record = { topic, partition, key: Buffer.from(key), value: unknownSchema, headers: { [headers.type]: type } };
  const [appended] = await producer.send([record]);
  for (const service of services) {
    const body = { reason: "written by a trial version", service, topic, partition, offset: String(appended?.offset) };
    await untilHolds(async () => {
      const { status, text } = await decideOnce(environment, "thandi", { path: "/skip", id: `skip-${service}`, body });
      expect([service, status, text]).toEqual([service, 202, expect.anything()]);
    });
  }
}

test("records that stop a partition of each service are skipped, and lie in the dead letters", async () => {
  const { uetr } = caseFor("on-us", "stopped");
  await skip(topics.journal, uetr, "DirectDebitReceived", ["scheduler", "validator"]);
  await skip(topics.dispatch, uetr, "Dispatch", ["dispatcher"]);
  await skip(topics.events, uetr, "TransactionStateEvent", ["event-publisher"]);
  await untilHolds(async () => {
    const rows = readRows(await askControl(environment, "thandi", `/dead-letters?key=${uetr}`));
    const services = new Set(rows.map((row) => String(row["service"])));
    expect([rows.length, services.size]).toEqual([8, 4]);
  });
});

test("an operator calls a bank's addresses, pauses it for a while, and proposes what needs a second person", async () => {
  const reason = "The bank asked for it.";
  await decideAndApply(environment, "thandi", { path: "/banks/acacia/pause", id: "pause-1", body: { reason } });
  await decideAndApply(environment, "thandi", { path: "/banks/acacia/resume", id: "resume-1", body: { reason } });
  const check = { path: "/banks/acacia/check", id: "check-1", body: { reason: "before the window" } };
  expect(await decideOnce(environment, "thandi", check)).toMatchObject({ status: 202 });
  const path = `/days/ZA_EFT/${environment.businessDate}/close-extension`;
  // It is about noon in the day's zone, and the reconciliation closes at 21:00.
  const closesAt = new Date(machineTime.nowMs() + extendedByMs).toISOString();
  const extension = { window: 0, closesAt, reason: "A bank is late." };
  expect(await decideOnce(environment, "thandi", { path, id: "extend-1", body: extension })).toMatchObject({ status: 202 });
});

test("messages of a paused bank wait in the store, and go out when it is resumed", async () => {
  const reason = "The bank asked for it.";
  await decideAndApply(environment, "thandi", { path: "/banks/acacia/pause", id: "pause-2", body: { reason } });
  const waiting = caseFor("on-us", "waiting", "acacia");
  await submit(waiting);
  await untilHolds(async () => {
    for (const parked of [environment.store.deliveries, environment.store.postings]) {
      expect((await parked.totals()).find(({ receiverId }) => receiverId === "acacia")?.count ?? 0).toBeGreaterThan(0);
    }
  });
  await decideAndApply(environment, "thandi", { path: "/banks/acacia/resume", id: "resume-2", body: { reason } });
  await untilState(environment, waiting.uetr, flows["on-us"].path.at(-1) ?? "");
});

/** Runs a program as an operator does. Returns what it printed, and its exit code. */
async function run(
  words: readonly string[],
  own: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly out: string }> {
  const env = { ...process.env, ...environment.services.environment, ...own };
  return await new Promise((resolve) => {
    execFile(process.execPath, words, { env, timeout: 120_000 }, (failure, out, error) => {
      resolve({ code: failure === null ? 0 : typeof failure.code === "number" ? failure.code : -1, out: `${out}${error}` });
    });
  });
}

/** With the scheduler's user at the broker. */
async function rebuild(...flags: readonly string[]): Promise<string> {
  const entry = join(projectRoot, "services", "scheduler", "rebuild", "main.ts");
  const { code, out } = await run([entry, ...flags], {
    ...broker.variablesOf("scheduler"),
    ...(await uses.variablesOf("rebuild")),
    ...loginOf("rebuild"),
  });
  expect([code === 0 || flags.includes("--accept-differences"), out]).toEqual([true, expect.any(String)]);
  return out;
}

test("I11: a rebuild switches every partition to a new build, in which the services go on, and drops the old ones", async () => {
  await rebuild();
  await rebuild();
  const journey = caseFor("on-us", "after the rebuild", "baobab");
  await submit(journey);
  await untilState(environment, journey.uetr, flows["on-us"].path.at(-1) ?? "");
  expect(await askControl(environment, "thandi", `/transactions/${journey.uetr}`)).toMatchObject({ timeline: { uetr: journey.uetr } });
  expect(await askControl(environment, "thandi", `/conservation?day=ZA_EFT:${environment.businessDate}`)).toBeDefined();
  expect(await rebuild("--drop-old")).toContain('"event":"dropped"');
});

test("provision --check looks at schemas and indexes, and finds them all", async () => {
  const words = [join(projectRoot, "packages", "cli", "main.ts"), "provision", "--check", "--json"];
  const { out } = await run(words, { ...(await uses.variablesOf("provision")), ...loginOf("provision") });
  expect(JSON.parse(out)).toMatchObject({ missing: { topics: [], schemas: [], indexes: [] } });
});

test("I10: a debit that the bank never reports on is an item of the close", async () => {
  const silent = caseFor("on-us", "unreported", "baobab");
  environment.bank("baobab").addRules([{ operation: "inboundDirectDebit", uetr: silent.uetr, reports: [] }]);
  await submit(silent);
  await untilState(environment, silent.uetr, "DELIVERED");
  await environment.closeDay();
  const { items } = await untilState(environment, silent.uetr, "RECONCILIATION");
  expect(items.map(({ row }) => row)).toEqual([9]);
});

interface Decision {
  readonly isAllowed: boolean;
  readonly level: string;
  readonly right: string;
  readonly line: string;
}

const decided =
  /\] (\w+) Principal = User:sluice-(\S+) is (Allowed|Denied) operation = (\w+) from host = \S+ on resource = (\w+):LITERAL:(\S+) for/;

async function readDecisions(): Promise<readonly Decision[]> {
  const lines = (await broker.kafka.readLogs()).split("\n");
  return lines.flatMap((line) => {
    const [, level = "", service = "", outcome, operation = "", kind = "", name = ""] = decided.exec(line) ?? [];
    if (outcome === undefined) return [];
    const right = rightText(service, operation.toLowerCase().replace("_", "-"), kind.toLowerCase(), name);
    return [{ isAllowed: outcome === "Allowed", level, right, line }];
  });
}

function rightText(service: string, operation: string, kind: string, name: string): string {
  return `${service}: ${operation} ${kind} ${name}`;
}

const notUsed = `console: read topic ${topics.stateEvents}`;

test("the broker refused no service anything, and each right but one was used", async () => {
  const rights = brokerServices.flatMap((service) =>
    brokerRightsOf(service).map(({ operation, kind, name }) => rightText(service, operation, kind, name)),
  );
  await untilHolds(async () => {
    const used = new Set((await readDecisions()).filter(({ isAllowed }) => isAllowed).map(({ right }) => right));
    expect(rights.filter((right) => !used.has(right))).toEqual([notUsed]);
  }, sealedMaxMs);
  // At a lower level the broker logs what it left out of a list, which nobody asked for by name.
  expect((await readDecisions()).filter(({ isAllowed, level }) => !isAllowed && level === "INFO").map(({ line }) => line)).toEqual([]);
  expect(environment.services.lost()).toEqual([]);
});

test("a rebuild puts back days, banks and ledgers that the store has lost or has otherwise", async () => {
  expect(environment.services.lost()).toEqual([]);
  await environment.services.stop();
  const { store, storeUrl, database } = environment;
  const day = `ZA_EFT:${environment.businessDate}`;
  const [ledger] = await store.ledgers.listByDay(day);
  const client = new MongoClient(storeUrl);
  opened.defer(() => client.close());
  for (const name of ["days", "bankStates", "ledgers"]) await client.db(database).collection(name).deleteMany({});
  await rebuild("--accept-differences");
  const [stored, state] = [(await store.days.load([day])).get(day), (await store.banks.load(["acacia"])).get("acacia")];
  const again = (await store.ledgers.load(ledger?.partition ?? 0, [day])).get(day);
  if (stored === undefined || state === undefined || again === undefined) throw new Error("the rebuild did not put them back");
  const written = [
    await store.days.write({ ...stored, isVoided: !stored.isVoided, version: stored.version + 1 }, stored.version),
    await store.banks.write({ ...state, isPaused: !state.isPaused, version: state.version + 1 }, state.version),
    await store.ledgers.write({ ...again, rows: [], version: again.version + 1 }, again.version),
  ];
  expect(written).toEqual([true, true, true]);
  await rebuild("--accept-differences");
  expect((await store.banks.load(["acacia"])).get("acacia")?.isPaused).toBe(state.isPaused);
});

/** Rights at the store that this day does not need, each with what needs it. */
const notNeeded: Readonly<Record<string, string>> = {};

test("each program did at the store what its role lets it, and nothing else; only provisioning wrote the registry", () => {
  const rights = storePrograms.flatMap((program) =>
    storeUses[program].flatMap(({ collection, actions }) => actions.map((action) => `${program}: ${action} ${collection ?? "(database)"}`)),
  );
  const used = uses.store;
  expect({
    withoutRight: [...used.keys()].filter((use) => !rights.includes(use)).toSorted(),
    unused: rights.filter((right) => !used.has(right)).toSorted(),
  }).toEqual({ withoutRight: [], unused: Object.keys(notNeeded).toSorted() });
  const readers = ["console", "dispatcher", "event-publisher", "ingress", "provision", "rebuild", "scheduler", "validator"];
  expect([...uses.registry].toSorted()).toEqual([...readers.map((program) => `${program}: read`), "provision: write"].toSorted());
});

test("the store refused no program anything, and without one of its rights a program is refused what it did with it", async () => {
  const { services, storeUrl, database } = environment;
  const directory = dirname(services.environment["SLUICE_CONFIG"] ?? "");
  expect(await readFile(join(directory, "mongo.log"), "utf8")).not.toMatch(/not authorized|requires authentication/);
  const { hostname, port } = new URL(storeUrl.replace(/^mongodb:/, "http:"));
  const clients = new Map<string, MongoClient>();
  const clientOf = (program: StoreProgram): MongoClient => {
    const auth = { username: `sluice-${program}`, password: storePassword(`sluice-${program}`) };
    const client = clients.get(program) ?? opened.use(new MongoClient(`mongodb://${hostname}:${port}`, { auth }));
    clients.set(program, client);
    return client;
  };
  const isRefused = async (program: StoreProgram, right: string): Promise<boolean> => {
    const sent = Object.entries(uses.store.get(`${program}: ${right}`) ?? {});
    const command = Object.fromEntries(sent.filter(([name]) => !addedByDriver.has(name)));
    return await clientOf(program)
      .db(database)
      .command(command)
      .then(
        () => false,
        (error: unknown) => error instanceof MongoServerError && error.code === unauthorized,
      );
  };
  const rights = storePrograms.flatMap((program) =>
    storeUses[program].flatMap(({ collection, actions }) =>
      actions.map((action) => ({ program, right: `${action} ${collection ?? "(database)"}` })),
    ),
  );
  const wrong: string[] = [];
  for (const { program, right } of rights) {
    await writeStoreUsers(storeUsersFile(directory), storeUsers(database, `sluice-${program}: ${right}`));
    if (!(await isRefused(program, right))) wrong.push(`${program} does without: ${right}`);
    await writeStoreUsers(storeUsersFile(directory), storeUsers(database, null));
    if (await isRefused(program, right)) wrong.push(`${program} is refused in spite of: ${right}`);
  }
  expect([rights.length > 60, wrong]).toEqual([true, []]);
});
