// Describes an environment step by step, and starts it.
//
//   await using sluice = await new SluiceEnvironment()
//     .withBank("a", { url: bank.url })
//     .withWindow({ opensIn: "2s", lasts: "60s" })
//     .start();
//
// #1 The clock of Sluice starts at the machine's time, in whole seconds, or at the instant that is given. However long
//    the container takes to start, the window opens `opensIn` after that.
// #2 Real servers stamp the time that decides, so on them the clock is the machine's and cannot be moved.
// #3 What is kept for another run is found again only if nothing differs. So its tokens follow from the names of the
//    parties, and its clock starts on this date, at ten in the morning of UTC.

import { createHash, randomBytes } from "node:crypto";
import { launchContainer } from "./launch-container.ts";
import { launchProcess } from "./launch-process.ts";
import type { LaunchSluice } from "./launched.ts";
import { LogTail } from "./log-tail.ts";
import { RunningSluice } from "./running.ts";
import { oneCopy, type GivenServers, type ServerImages } from "./servers.ts";
import type { StartedServers } from "./started-servers.ts";
import {
  type TestBank,
  branchOf,
  dateIn,
  noonZone,
  type TestConnector,
  type Party,
  renderSettings,
  windowDefault,
  type WindowOptions,
} from "./settings.ts";

const imageDefault = "sluice:latest";
const schemesDefault = ["ZA_EFT", "ZA_RTC"];
const startWithinMs = 60_000;
const tokenBytes = 24;
/** #3 */
const reusedStart = "T10:00:00Z";
const operatorName = "operator";

/** A party whose tokens are drawn at the start, unless they are given. */
type PartyDraft = Omit<Party, "token" | "sluiceToken"> & { readonly token: string | null };

export class SluiceEnvironment {
  #parties: readonly PartyDraft[] = [];
  #window: WindowOptions = windowDefault;
  #startAt: Date | null = null;
  #members: Readonly<Record<string, unknown>> = {};
  #launch: LaunchSluice | null = null;
  #image = process.env["SLUICE_IMAGE"] ?? imageDefault;
  #servers: GivenServers | null = null;
  #serverImages: ServerImages | null = null;
  #isReused = false;

  withBank(id: string, { url, branch, token, signingSecrets = [], takesEvents = true, members = {} }: TestBank): this {
    const index = this.#parties.filter(({ kind }) => kind === "bank").length;
    return this.#with({
      id,
      kind: "bank",
      url,
      branch: branch ?? branchOf(index),
      token: token ?? null,
      signingSecrets,
      takesEvents,
      members,
    });
  }

  withConnector(id: string, { url, schemes = schemesDefault, token, signingSecrets = [], members = {} }: TestConnector): this {
    const all = { schemes, ...members };
    return this.#with({ id, kind: "connector", url, branch: null, token: token ?? null, signingSecrets, takesEvents: false, members: all });
  }

  withWindow(window: WindowOptions): this {
    this.#window = window;
    return this;
  }

  /** #1 */
  withClock(startAt: Date | string): this {
    this.#startAt = new Date(startAt);
    return this;
  }

  /** Members of Sluice's configuration file, such as `schemes` or `calendars`; they replace those made here. */
  withConfiguration(members: Readonly<Record<string, unknown>>): this {
    this.#members = { ...this.#members, ...members };
    return this;
  }

  /** The image; `SLUICE_IMAGE` or `sluice:latest` where it is not named. */
  withImage(image: string): this {
    this.#image = image;
    return this;
  }

  /** Starts a process from a folder with Sluice's source instead of a container. `node` has to be Node 26. */
  withSource(folder: string, node = process.execPath): this {
    this.#launch = launchProcess(folder, node);
    return this;
  }

  /** Starts each service on Kafka, a registry and a store that are there, instead of all of them over memory (#2). */
  withServers(servers: GivenServers): this {
    this.#servers = servers;
    return this;
  }

  /** Starts Kafka, a registry and a store as containers first, in a network of their own, and Sluice on them (#2). */
  withStartedServers(images: ServerImages = {}): this {
    this.#serverImages = images;
    return this;
  }

  /**
   * Keeps the container when the test ends, and uses it again in the next run (#3). Each of its parties listens at a
   * fixed port of all addresses of this machine. `TESTCONTAINERS_REUSE_ENABLE=false` switches it off, as in CI.
   */
  withReuse(): this {
    this.#isReused = true;
    return this;
  }

  async start(): Promise<RunningSluice> {
    this.#check();
    await using opened = new AsyncDisposableStack();
    const started = await this.#startServers(opened);
    const isReused = this.#isReused && process.env["TESTCONTAINERS_REUSE_ENABLE"] !== "false";
    const servers = (this.#launch === null ? started?.inNetwork : started?.fromHost) ?? this.#servers;
    const startAtMs = this.#startAtMs(isReused);
    const [parties, operatorToken] = this.#withTokens(isReused);
    const members = { ...(servers === null ? {} : oneCopy), ...this.#members };
    const settings = { parties, window: this.#window, startAtMs, operatorToken, members };
    const log = new LogTail();
    const launch = this.#launch ?? launchContainer(this.#image);
    try {
      const launched = await launch({
        render: (host) => renderSettings(settings, (url) => reachFrom(url, host)),
        startAt: new Date(startAtMs).toISOString(),
        hostPorts: [...new Set(parties.flatMap(({ url }) => hostPort(url)))],
        log,
        startWithinMs,
        servers,
        isReused,
      });
      opened.defer(() => launched.stop());
      const owned = opened.move();
      const zone = noonZone(startAtMs);
      const options = {
        launched: { ...launched, stop: () => owned.disposeAsync() },
        parties,
        operatorToken,
        zone,
        log,
        isClockMovable: servers === null,
        isKept: isReused,
        servers: started?.fromHost ?? this.#servers,
      };
      const running = new RunningSluice({ ...options, businessDate: dateIn(zone, startAtMs) });
      // The clock of one that an earlier run left may have been moved.
      return isReused ? new RunningSluice({ ...options, businessDate: dateIn(zone, (await running.now()).getTime()) }) : running;
    } catch (error) {
      throw new Error(log.explain("Sluice did not start"), { cause: error });
    }
  }

  #check(): void {
    if (this.#servers === null && this.#serverImages === null) return;
    if (this.#servers !== null && this.#serverImages !== null) throw new Error("withServers and withStartedServers exclude each other");
    if (this.#startAt !== null) throw new Error("withClock has no effect on real servers, which have the machine's time");
    if (this.#isReused) throw new Error("withReuse is for the mode without servers, which is one container");
  }

  async #startServers(opened: AsyncDisposableStack): Promise<StartedServers | null> {
    if (this.#serverImages === null) return null;
    const { startServerContainers } = await import("./started-servers.ts");
    return opened.use(await startServerContainers(this.#serverImages));
  }

  /** #1, #3 */
  #startAtMs(isReused: boolean): number {
    const nowMs = Date.now();
    const defaultMs = isReused ? Date.parse(`${new Date(nowMs).toISOString().slice(0, 10)}${reusedStart}`) : nowMs;
    return Math.floor((this.#startAt?.getTime() ?? defaultMs) / 1_000) * 1_000;
  }

  /** Returns the parties with their tokens, and the operator's. */
  #withTokens(isReused: boolean): readonly [readonly Party[], string] {
    const create = isReused ? deriveToken : drawToken;
    const parties = this.#parties.map((draft) => {
      return { ...draft, token: draft.token ?? create(`to ${draft.id}`), sluiceToken: create(`from ${draft.id}`) };
    });
    return [parties, create(operatorName)];
  }

  #with(party: PartyDraft): this {
    this.#parties = [...this.#parties, party];
    return this;
  }
}

function drawToken(): string {
  return randomBytes(tokenBytes).toString("hex");
}

/** #3: it protects nothing but a test on this machine. */
function deriveToken(name: string): string {
  return createHash("sha256").update(`sluice testcontainers ${name}`).digest("hex");
}

/** The address of something on this machine, as it is reached from where `host` is this machine's name. */
function reachFrom(url: string, host: string): string {
  const parsed = new URL(url);
  if (!isLocal(parsed)) return url;
  parsed.hostname = host;
  return parsed.href.replace(/\/$/, "");
}

function isLocal({ hostname }: URL): boolean {
  return /^(localhost|127\..*|\[::1\]|0\.0\.0\.0)$/.test(hostname);
}

/** The port of an address on this machine. */
function hostPort(url: string): readonly number[] {
  const parsed = new URL(url);
  if (!isLocal(parsed)) return [];
  return [parsed.port === "" ? (parsed.protocol === "https:" ? 443 : 80) : Number(parsed.port)];
}
