// What a container starts, from its words and its memory limit.
//
// #1 `SERVICE [small|large]` starts a service with that memory profile of its `memory.json`, small by default. All
//    other words are a verb of `./sluice`.
// #2 The old space of a service is bounded by the container's memory limit, because V8's own bound may be above it: the
//    kernel would then end the process in the middle of its work, without a log line.
// #3 A limit that is too small for the profile is refused at the start, with both figures.

interface MemoryProfile {
  readonly nodeArguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** The part of a service's `memory.json` that a container needs. */
export interface ContainerMemory {
  readonly profiles: Readonly<Record<string, MemoryProfile>>;
}

export interface Launch {
  readonly nodeArguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export const profileDefault = "small";
/** Percent of the limit that V8's heap may have; the rest is for buffers, compiled code and the C library. */
const heapPercent = 75;
/** V8 keeps up to three semi-spaces of young objects. */
const semiSpacesMax = 3;
/** MiB that must be left for old objects. */
const oldSpaceMinMiB = 64;

/** Returns the words of a service, or null: they are a verb's. */
export function readServiceWords(
  words: readonly string[],
  services: readonly string[],
): { readonly service: string; readonly profile: string } | null {
  const [service = "", profile = profileDefault] = words;
  return services.includes(service) && words.length <= 2 ? { service, profile } : null;
}

/** `limitMiB` null: the container has no memory limit. Returns a text where the service cannot be started (#3). */
export function buildLaunch({ profiles }: ContainerMemory, profile: string, limitMiB: number | null): Launch | string {
  const found = profiles[profile];
  if (found === undefined) return `there is no memory profile ${profile}: it is one of ${Object.keys(profiles).join(", ")}`;
  if (limitMiB === null) return found;
  const youngMiB = semiSpacesMax * numberIn(found.nodeArguments, "--max-semi-space-size");
  // A heap cannot start larger than its bound.
  const leastMiB = Math.max(oldSpaceMinMiB, numberIn(found.nodeArguments, "--initial-old-space-size"));
  const oldSpaceMiB = Math.floor((limitMiB * heapPercent) / 100) - youngMiB;
  if (oldSpaceMiB < leastMiB) {
    const neededMiB = Math.ceil(((leastMiB + youngMiB) * 100) / heapPercent);
    return `the memory limit of ${limitMiB} MiB is too small for the profile ${profile}: it needs ${neededMiB} MiB`;
  }
  return { ...found, nodeArguments: [...found.nodeArguments, `--max-old-space-size=${oldSpaceMiB}`] };
}

function numberIn(nodeArguments: readonly string[], name: string): number {
  return Number(nodeArguments.find((argument) => argument.startsWith(`${name}=`))?.slice(name.length + 1) ?? 0);
}
