// What a kind of server is: the installed files that it runs from, its place, and the plan of its start.

export interface Installed {
  /** Class path of Kafka and LocalMongo. */
  readonly libs: string;
  readonly classes: string;
  readonly registryJar: string;
  /** Formatted Kafka storage, which each server copies. */
  readonly kafkaTemplate: string;
  /** Path of a server's class-data archive for this Java; see `server-process.ts`. */
  archive(server: string): string;
}

export type Storage = "memory" | "file";
export type ServerName = "kafka" | "registry" | "mongo";

export interface ServerPlace {
  readonly installed: Installed;
  readonly directory: string;
  readonly storage: Storage;
  readonly isForLoad: boolean;
  readonly ports: readonly number[];
}

export interface ServerPlan {
  readonly arguments: readonly string[];
  readonly address: string;
  /** Sends one real request. Rejecting means no. */
  isReady(): Promise<boolean>;
  /** What must be done once it answers, before anybody uses it. */
  readonly prepare?: () => Promise<void>;
}

export interface ServerKind {
  readonly name: ServerName;
  /** Number of ports that it needs. */
  readonly ports: number;
  /** True: Java writes an archive of loaded classes when the first run ends; later starts take about half the time. */
  readonly hasArchive: boolean;
  plan(place: ServerPlace): Promise<ServerPlan>;
}
