// Describes an environment step by step, and starts it.
//
//   await using sluice = await new SluiceEnvironment()
//     .withBank("a", { url: bank.url })
//     .withWindow({ opensIn: "2s", lasts: "60s" })
//     .start();
//
// #1 The clock of Sluice starts at the machine's time, in whole seconds, or at the instant that is given. However long
//    the container takes to start, the window opens `opensIn` after that.

import { randomBytes } from "node:crypto";
import { launchContainer } from "./launch-container.ts";
import { launchProcess } from "./launch-process.ts";
import type { LaunchSluice } from "./launched.ts";
import { LogTail } from "./log-tail.ts";
import { RunningSluice } from "./running.ts";
import { type TestBank, branchOf, type TestConnector, type Party, renderSettings, windowDefault, type WindowOptions } from "./settings.ts";

const imageDefault = "sluice:latest";
const schemesDefault = ["ZA_EFT", "ZA_RTC"];
const startWithinMs = 60_000;
const tokenBytes = 24;

export class SluiceEnvironment {
  #parties: readonly Party[] = [];
  #window: WindowOptions = windowDefault;
  #startAt: Date | null = null;
  #members: Readonly<Record<string, unknown>> = {};
  #launch: LaunchSluice | null = null;
  #image = process.env["SLUICE_IMAGE"] ?? imageDefault;

  withBank(id: string, { branch, takesEvents = true, members = {}, ...options }: TestBank): this {
    const index = this.#parties.filter(({ kind }) => kind === "bank").length;
    return this.#with({ id, kind: "bank", branch: branch ?? branchOf(index), takesEvents, members, ...drawTokens(options) });
  }

  withConnector(id: string, { schemes = schemesDefault, members = {}, ...options }: TestConnector): this {
    return this.#with({
      id,
      kind: "connector",
      branch: null,
      takesEvents: false,
      members: { schemes, ...members },
      ...drawTokens(options),
    });
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

  async start(): Promise<RunningSluice> {
    const startAtMs = Math.floor((this.#startAt?.getTime() ?? Date.now()) / 1_000) * 1_000;
    const operatorToken = drawToken();
    const parties = this.#parties;
    const settings = { parties, window: this.#window, startAtMs, operatorToken, members: this.#members };
    const log = new LogTail();
    const launch = this.#launch ?? launchContainer(this.#image);
    try {
      const launched = await launch({
        render: (host) => renderSettings(settings, (url) => reachFrom(url, host)),
        startAt: new Date(startAtMs).toISOString(),
        hostPorts: [...new Set(parties.flatMap(({ url }) => hostPort(url)))],
        log,
        startWithinMs,
      });
      return new RunningSluice({ launched, parties, operatorToken, startAtMs, log });
    } catch (error) {
      throw new Error(log.explain("Sluice did not start"), { cause: error });
    }
  }

  #with(party: Party): this {
    this.#parties = [...this.#parties, party];
    return this;
  }
}

function drawTokens({ url, token = drawToken(), signingSecrets = [] }: Pick<TestBank, "url" | "token" | "signingSecrets">) {
  return { url, token, sluiceToken: drawToken(), signingSecrets };
}

function drawToken(): string {
  return randomBytes(tokenBytes).toString("hex");
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
