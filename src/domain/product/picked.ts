/** The members of an object that have one of these names and a value. */
export function picked(value: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const member: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
      return member === undefined ? [] : [[name, member]]
    }),
  )
}
