import { isObject } from '../../protocol/is-object.ts'

/**
 * The document with the members that a later one has beside its own, at every depth. What both have stays as the first says it, lists and values of
 * enumerations whole, so that readers of the earlier release find nothing that it does not define.
 */
export function withLaterMembers<T extends object>(document: T, later: object): T {
  const added = Object.entries(later).map(([name, value]: [string, unknown]): [string, unknown] => {
    if (!Object.hasOwn(document, name)) return [name, value]
    const own: unknown = Reflect.get(document, name)
    return [name, isObject(own) && isObject(value) ? withLaterMembers(own, value) : own]
  })
  return { ...document, ...Object.fromEntries(added) }
}
