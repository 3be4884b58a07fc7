// The codec of stored documents: one descriptor per document names each stored member, in stored order, and how it is
// stored; both directions are made from it.
//
// #1 A member of the domain without a descriptor does not compile, nor does one that is stored in the wrong form.
// #2 Stored names are spelt out: renaming a member of the domain must not rename a stored field.
// #3 Encoding copies: a stored document shares no memory with its caller.

export interface Codec<Value, Stored> {
  readonly encode: (value: Value) => Stored;
  readonly decode: (stored: Stored) => Value;
}
/** The codec of a whole document. */
export interface DocumentCodec<Value, Stored> extends Codec<Value, Stored> {
  /**
   * Encodes the members that are not the same as in `before`, and all that are derived. Values are immutable, so a
   * member that is the same object has not changed.
   */
  readonly encodeChanged: (value: Value, before: Value) => Partial<Stored>;
}
export type StoredIn<C> = C extends { readonly encode: (value: never) => infer Stored } ? Stored : never;

/** A member that is stored as it is, or a list of such. */
export const plain = "plain";
type Plain = string | number | boolean | bigint | null | readonly (string | number)[];

type Form = typeof plain | AnyCodec;
interface AnyCodec {
  readonly encode: (value: never) => unknown;
  readonly decode: (stored: never) => unknown;
}
interface Named {
  readonly name: string;
  readonly form: Form;
}
interface Derived<Value> {
  readonly derive: (value: Value) => unknown;
}
type Members<Value> = Readonly<Record<string, Form | Named | Derived<Value>>>;

type NameOf<Key, Member> = Member extends Derived<never> ? never : Member extends { readonly name: infer Name } ? Name : Key;
type FormOf<Member> = Member extends { readonly form: infer Inner } ? Inner : Member;
type ValueOf<Value, Name> = Name extends keyof Value ? Value[Name] : never;

type StoredMember<Value, Key, Member> = Member extends { readonly derive: (value: never) => infer Made }
  ? Made
  : FormOf<Member> extends AnyCodec
    ? StoredIn<FormOf<Member>>
    : ValueOf<Value, NameOf<Key, Member>>;
type StoredMembers<Value, Of> = { readonly [Key in keyof Of]: StoredMember<Value, Key, Of[Key]> };

/** True if the form stores the member and gives it back. */
type Fits<Member, Given> = [Member] extends [never]
  ? false
  : Given extends { readonly encode: (value: infer From) => unknown; readonly decode: (stored: never) => infer Back }
    ? [Member, Back] extends [From, Member]
      ? true
      : false
    : Member extends Plain
      ? true
      : false;
type Checked<Value, Of> = {
  readonly [Key in keyof Of]: Of[Key] extends Derived<never>
    ? Of[Key]
    : false extends Fits<ValueOf<Value, NameOf<Key, Of[Key]>>, FormOf<Of[Key]>>
      ? "stored in a form that does not fit"
      : Of[Key];
} & Readonly<Record<Exclude<keyof Value, { [Key in keyof Of]: NameOf<Key, Of[Key]> }[keyof Of]>, typeof plain>>;

/** A member that is stored under another name than the domain's. */
export function as<const Name extends string, Inner extends Form>(name: Name, form: Inner): { readonly name: Name; readonly form: Inner } {
  return { name, form };
}

/** A member for queries alone: written, never read. */
export function derived<Value, Made>(derive: (value: Value) => Made): { readonly derive: (value: Value) => Made } {
  return { derive };
}

/** Epoch milliseconds as a date. */
export const date: Codec<number, Date> = { encode: (ms) => new Date(ms), decode: (stored) => stored.getTime() };
/** Decimal text, because only Sluice adds it up and the sum may exceed 64 bits. */
export const decimal: Codec<bigint, string> = { encode: String, decode: BigInt };
export const json: Codec<unknown, string> = { encode: (value) => JSON.stringify(value), decode: (stored) => JSON.parse(stored) as unknown };
export const bytes: Codec<Uint8Array, Uint8Array> = {
  encode: (value) => new Uint8Array(value),
  decode: (stored) => new Uint8Array(stored),
};

/** Texts that documents from before the member do not have. */
export const textsSince: Codec<readonly string[], readonly string[] | undefined> = {
  encode: (values) => [...values],
  decode: (stored) => [...(stored ?? [])],
};

/** A text that documents from before the member do not have; it is null there. */
export const textSince: Codec<string | null, string | null | undefined> = { encode: (value) => value, decode: (stored) => stored ?? null };

/** A number that documents from before the member do not have; it is 0 there. */
export const numberSince: Codec<number, number | undefined> = { encode: (value) => value, decode: (stored) => stored ?? 0 };

export function nullable<Value, Stored>({ encode, decode }: Codec<Value, Stored>): Codec<Value | null, Stored | null> {
  return {
    encode: (value) => (value === null ? null : encode(value)),
    // A member that is newer than the stored document is missing there.
    decode: (stored) => (stored === null || stored === undefined ? null : decode(stored)),
  };
}

export function list<Value, Stored>({ encode, decode }: Codec<Value, Stored>): Codec<readonly Value[], readonly Stored[]> {
  return { encode: (values) => values.map(encode), decode: (stored) => stored.map(decode) };
}

/** A list that documents from before the member do not have; it is empty there. */
export function listSince<Value, Stored>(of: Codec<Value, Stored>): Codec<readonly Value[], readonly Stored[] | undefined> {
  const { encode, decode } = list(of);
  return { encode, decode: (stored) => decode(stored ?? []) };
}

/** A record whose keys are data. */
export function table<Value, Stored>({ encode, decode }: Codec<Value, Stored>): Codec<Table<Value>, Table<Stored>> {
  return { encode: (values) => mapTable(values, encode), decode: (stored) => mapTable(stored, decode) };
}
type Table<Value> = Readonly<Record<string, Value>>;

function mapTable<From, To>(from: Table<From>, map: (value: From) => To): Table<To> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, map(value)]));
}

/** `document<Value>()(descriptor)`: two calls, because TypeScript infers all type arguments of a call or none. */
export function document<Value extends object>() {
  return <const Of extends Members<Value>>(members: Of & Checked<Value, Of>): DocumentCodec<Value, StoredMembers<Value, Of>> =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- #1: each member was checked
    createCodec(Object.entries(members).map(buildStep)) as unknown as DocumentCodec<Value, StoredMembers<Value, Of>>;
}

/** A member of a descriptor in one shape, so that the loops over it stay fast: every transaction goes through them. */
interface Step extends Codec<unknown, unknown> {
  readonly key: string;
  /** The domain's name; null: the member is derived, and `encode` takes the whole value. */
  readonly name: string | null;
}

function buildStep([key, member]: readonly [string, unknown]): Step {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- #1
  const given = member as typeof plain | Codec<unknown, unknown> | { readonly name: string; readonly form: never } | Derived<unknown>;
  if (given === plain) return { key, name: key, encode: copyPlain, decode: copyPlain };
  if ("form" in given) return { ...buildStep([key, given.form]), name: given.name };
  if ("derive" in given) return { key, name: null, encode: given.derive, decode: copyPlain };
  return { key, name: key, encode: given.encode, decode: given.decode };
}

function createCodec(steps: readonly Step[]): DocumentCodec<Table<unknown>, Table<unknown>> {
  const emptyStored = buildEmpty(steps.map(({ key }) => key));
  const emptyValue = buildEmpty(steps.flatMap(({ name }) => (name === null ? [] : [name])));
  return {
    encode: (value) => {
      const made = { ...emptyStored };
      for (const { key, name, encode } of steps) made[key] = encode(name === null ? value : value[name]);
      return made;
    },
    encodeChanged: (value, before) => {
      const made: Record<string, unknown> = {};
      for (const { key, name, encode } of steps) {
        if (name === null) made[key] = encode(value);
        else if (value[name] !== before[name]) made[key] = encode(value[name]);
      }
      return made;
    },
    decode: (stored) => {
      const made = { ...emptyValue };
      for (const { key, name, decode } of steps) if (name !== null) made[name] = decode(stored[key]);
      return made;
    },
  };
}

/** V8 turns an object that gets a dozen members in a loop into a hash table; a copy of one that has them stays fast. */
function buildEmpty(keys: readonly string[]): Record<string, unknown> {
  const empty: Record<string, unknown> = JSON.parse(`{${keys.map((key) => `${JSON.stringify(key)}:null`).join(",")}}`);
  return empty;
}

function copyPlain(value: unknown): unknown {
  return Array.isArray(value) ? value.slice() : value;
}
