// Declares the parts of undici 8.12.4 that the gateway uses. Its index loads some eighty modules more, such as fetch,
// caches and mocks, which took 6 MiB of each service that calls banks.

declare module "undici/lib/dispatcher/pool.js" {
  import { Pool } from "undici";
  export default Pool;
}

declare module "undici/lib/dispatcher/client.js" {
  import { Client } from "undici";
  export default Client;
}

declare module "undici/lib/core/connect.js" {
  import { buildConnector } from "undici";
  export default buildConnector;
}

declare module "undici/lib/api/api-connect.js" {
  import type { Client, Dispatcher } from "undici";
  /** Asks the server behind the client for a tunnel. Only undici's index makes it a method of its clients. */
  export default function requestTunnel(this: Client, options: Omit<Dispatcher.ConnectOptions, "origin">): Promise<Dispatcher.ConnectData>;
}
