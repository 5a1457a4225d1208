import { ENVELOPE_MEMBERS } from './envelope-members.ts'
import type { SchemaPlace } from './schema-places.ts'

/** A member of a request that the schemas do not name where it is. */
export interface UnnamedMember {
  readonly name: string
  readonly value: unknown
  /** RFC 6901 pointer of the member. */
  readonly pointer: string
  /** The object that it is a member of, with what the schemas say of that, and the objects around it, outermost first. */
  readonly owner: Owner
  readonly around: readonly Owner[]
}

/** An object of a request, and what the schemas say of its members. */
export interface Owner {
  readonly value: object
  readonly place: SchemaPlace
}

interface Visited {
  readonly pointer: string
  readonly place: SchemaPlace
  readonly around: readonly Owner[]
}

/**
 * The members of a request that its schemas do not name, in the order in which they were sent, at most `limit`. Members of the envelope, and `ext` and
 * `context` anywhere, are not among them, nor is what lies in open objects. Linear in the size of the request, whose depth an earlier step bounds.
 */
export function unnamedMembers(root: SchemaPlace, request: object, limit: number): readonly UnnamedMember[] {
  const found: UnnamedMember[] = []
  visit(request, { pointer: '', place: root, around: [] }, found, limit)
  return found
}

function visit(value: unknown, at: Visited, found: UnnamedMember[], limit: number): void {
  if (typeof value !== 'object' || value === null || found.length >= limit) return
  if (Array.isArray(value)) {
    value.forEach((entry, index) => {
      visit(entry, { ...at, pointer: `${at.pointer}/${index}` }, found, limit)
    })
    return
  }
  const { place, around } = at
  const owner = { value, place }
  const inside = [...around, owner]
  for (const [name, member] of Object.entries(value)) {
    if (found.length >= limit) return
    const pointer = `${at.pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const below = place.declared(name) ?? place.others()
    if (below) visit(member, { pointer, place: below, around: inside }, found, limit)
    else if (!place.isOpen && !isFree(name, at)) found.push({ name, value: member, pointer, owner, around })
  }
}

function isFree(name: string, { pointer }: Visited): boolean {
  return name === 'ext' || name === 'context' || (pointer === '' && ENVELOPE_MEMBERS.has(name))
}
