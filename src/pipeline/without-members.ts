import type { Issue } from '../protocol/errors.ts'

/** A request without the members that RFC 6901 pointers lead to. What does not change is shared with the request. */
export function withoutMembers(request: object, members: readonly Pick<Issue, 'pointer'>[]): object {
  return members.reduce((left, { pointer }) => without(left, partsOf(pointer)), request)
}

function without(value: object, [first, ...rest]: readonly string[]): object {
  if (first === undefined) return value
  if (Array.isArray(value)) return value.map((entry, index) => (String(index) === first ? inside(entry, rest) : entry))
  const remaining = Object.entries(value).flatMap(([name, member]) => {
    if (name !== first) return [[name, member]]
    return rest.length === 0 ? [] : [[name, inside(member, rest)]]
  })
  return Object.fromEntries(remaining)
}

function inside(value: unknown, rest: readonly string[]): unknown {
  return typeof value === 'object' && value !== null ? without(value, rest) : value
}

function partsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}
