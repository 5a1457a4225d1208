import type { SchemaPlace } from './schema-places.ts'

/** A position in a request: the value that was sent there, and what the schemas say of it. */
export interface Position {
  readonly value: unknown
  readonly place: SchemaPlace | undefined
  /** Whether the value is an entry of the list that `place` describes. */
  readonly isEntry: boolean
}

/** The position that an RFC 6901 pointer leads to. */
export function positionAt(request: unknown, root: SchemaPlace | undefined, pointer: string): Position {
  let at: Position = { value: request, place: root, isEntry: false }
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    const { value, place } = at
    if (Array.isArray(value)) at = { value: value[Number(name)], place, isEntry: true }
    else at = { value: memberOf(value, name), place: place?.declared(name) ?? place?.others(), isEntry: false }
  }
  return at
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined
}

const MAX_SHOWN = 60
/** Members that hold secrets, or that identify a person (AdCP core/audience-member.json, core/user-match.json). */
const PRIVATE =
  /credential|token|secret|password|authorization|hashed_|external_id|uids|e-?mail|phone|click_id|client_ip|user_agent/i

/** Whether the value at a place of a request is not to be repeated. */
export function isPrivate(pointer: string): boolean {
  return PRIVATE.test(pointer)
}

/** What was sent, short and quoted, for the one who sent it. Values of members that hold secrets, or that identify a person, are left out. */
export function sentValue(value: unknown, pointer: string): string {
  if (isPrivate(pointer)) return 'what was sent'
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object') return 'an object'
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1)}…`
}
