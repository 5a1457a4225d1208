import { isObject } from '../protocol/is-object.ts'

/**
 * Whether a value has everything that a wanted one names: the same text, number or switch; of a list, each entry; of an object, each member. Linear in
 * the wanted value times the longest list.
 */
export function contains(own: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return Array.isArray(own) && wanted.every((each) => own.some((entry) => contains(entry, each)))
  if (isObject(wanted))
    return isObject(own) && Object.entries(wanted).every(([name, member]) => contains(memberOf(own, name), member))
  return own === wanted
}

function memberOf(value: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(value, name)?.value
}
