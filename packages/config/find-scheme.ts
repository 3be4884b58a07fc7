import type { Configuration, Scheme } from "./configuration.ts";

export function findScheme(configuration: Configuration, id: string): Scheme | undefined {
  return configuration.schemes.find((scheme) => scheme.id === id);
}
