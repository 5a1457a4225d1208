/** The value of a table's own member; undefined for what every object inherits, such as `constructor`, which a caller may send as a name. */
export function ownValue<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
