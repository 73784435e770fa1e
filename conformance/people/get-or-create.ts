/** Returns the value of a key. `create` makes it when it is first needed. */
export function getOrCreate<Key, Value>(
  map: { get: (key: Key) => Value | undefined; set: (key: Key, value: Value) => unknown },
  key: Key,
  create: () => Value,
) {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}
