// The machine's hosts file and resolv.conf, read again when they change.
//
// #1 They are looked at when a name is wanted, at most every `lookMs`, and read only when they were replaced or have
//    changed. They are small local files and are read at once: a read through the thread pool would wait behind
//    whatever occupies it.
// #2 A file that cannot be read, or changes while it is read, changes nothing, and is read at the next look. Nor does a
//    resolv.conf that names no server while the one before did: it is half written.

import { readFileSync, statSync } from "node:fs";
import { type HostsTable, parseHostsFile } from "./hosts-file.ts";
import { parseResolvConf, type ResolvConf } from "./resolv-conf.ts";

/** Milliseconds between two looks at the files. */
export const lookMs = 2_000;
const fileBytesMax = 1024 * 1024;

export interface MachineNamePaths {
  readonly hosts: string;
  readonly resolvConf: string;
}

export const machineNamePaths: MachineNamePaths = { hosts: "/etc/hosts", resolvConf: "/etc/resolv.conf" };

export class MachineNames {
  hosts: HostsTable = parseHostsFile("");
  resolvConf: ResolvConf = parseResolvConf("");
  readonly #hostsFile: WatchedFile;
  readonly #resolvConfFile: WatchedFile;
  #nextLookMs = -Infinity;

  constructor(paths: MachineNamePaths) {
    this.#hostsFile = new WatchedFile(paths.hosts);
    this.#resolvConfFile = new WatchedFile(paths.resolvConf);
  }

  /** Returns whether name servers are to be asked otherwise than before. `nowMs` is monotonic. */
  look(nowMs: number): boolean {
    if (nowMs < this.#nextLookMs) return false;
    this.#nextLookMs = nowMs + lookMs;
    const hosts = this.#hostsFile.readIfChanged();
    if (hosts !== null) this.hosts = parseHostsFile(hosts);
    const text = this.#resolvConfFile.readIfChanged();
    if (text === null) return false;
    const conf = parseResolvConf(text);
    // #2
    if (conf.servers.length === 0 && this.resolvConf.servers.length > 0) return false;
    this.resolvConf = conf;
    return true;
  }
}

class WatchedFile {
  readonly #path: string;
  #read = "";

  constructor(path: string) {
    this.#path = path;
  }

  /** #1 #2. Null where it has not changed or cannot be read. */
  readIfChanged(): string | null {
    try {
      const state = this.#state();
      if (state === this.#read) return null;
      const text = readFileSync(this.#path, "utf8");
      if (this.#state() !== state) return null;
      this.#read = state;
      return text;
    } catch {
      return null;
    }
  }

  /** Throws where it is no file of a sensible size. */
  #state(): string {
    const file = statSync(this.#path, { bigint: true });
    if (!file.isFile() || file.size > fileBytesMax) throw new Error("not a small file");
    return `${file.dev}/${file.ino}/${file.size}/${file.mtimeNs}`;
  }
}
