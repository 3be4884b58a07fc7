// Counts how many elements of a list are read, so that a test can show that a look-up does not search the list.

export function createCountedList<T>(elements: readonly T[]): { readonly list: readonly T[]; readonly reads: () => number } {
  let reads = 0;
  const list = new Proxy(elements, {
    get(target, key, receiver) {
      if (typeof key === "string" && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  return { list, reads: () => reads };
}
