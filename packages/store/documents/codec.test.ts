import { expect, test } from "vitest";
import { as, date, derived, document, nullable, plain } from "./codec.ts";

interface Sample {
  readonly id: string;
  readonly atMs: number;
  readonly endMs: number | null;
  readonly names: readonly string[];
}

const sample: Sample = { id: "a", atMs: 1, endMs: null, names: ["n"] };
const codec = document<Sample>()({
  key: as("id", plain),
  count: derived(({ names }: Sample) => names.length),
  names: plain,
  at: as("atMs", date),
  end: as("endMs", nullable(date)),
});

test("a document is encoded in the order of its descriptor, shares no memory with its value, and is decoded to it", () => {
  const stored = codec.encode(sample);
  expect(Object.entries(stored)).toEqual(Object.entries({ key: "a", count: 1, names: ["n"], at: new Date(1), end: null }));
  expect(stored.names).not.toBe(sample.names);
  expect(codec.decode(stored)).toStrictEqual(sample);
});

test("a member without a descriptor, or with one that does not fit, does not compile", () => {
  const rest = { id: plain, names: plain } as const;
  const at = as("atMs", date);
  // @ts-expect-error -- endMs has no descriptor.
  document<Sample>()({ ...rest, at });
  // @ts-expect-error -- endMs may be null, a date may not.
  document<Sample>()({ ...rest, at, end: as("endMs", date) });
  // @ts-expect-error -- the domain has no endsMs.
  document<Sample>()({ ...rest, at, end: as("endsMs", nullable(date)) });
  // @ts-expect-error -- what is derived alone cannot be read.
  document<Sample>()({ ...rest, at, end: derived(() => null) });
  expect(document<Sample>()({ ...rest, at, end: as("endMs", nullable(date)) }).encode(sample)).toMatchObject({ at: new Date(1) });
});
