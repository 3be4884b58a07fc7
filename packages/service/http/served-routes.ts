import type { Hono } from "hono";

/** An address that a listener answers, with the method in capitals, or `ALL` for every other method of that address. */
export interface ServedRoute {
  readonly method: string;
  readonly path: string;
}

/** Lists what an app answers beside its `notFound`, as the router has it. */
// oxlint-disable-next-line typescript/no-explicit-any -- An app of whatever bindings.
export function listRoutes({ routes }: Pick<Hono<any>, "routes">): readonly ServedRoute[] {
  const named = new Map(routes.map(({ method, path }) => [`${method} ${path}`, { method, path }]));
  return [...named.values()];
}
