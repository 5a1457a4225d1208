import type { Change } from './act.ts'

/** Members of one act that the audit log names; of the rest it says how many there are. */
const MOST_MEMBERS = 100
/** Characters of a value that the audit log shows. */
const MOST_SHOWN = 200
/** Characters before the first difference that are shown of a longer value. */
const LEAD = 40
/** Whom to ask: of personal data, the audit log says that it changed and not what it was. */
const CONTACT = /(?:^|[_.])(?:contact|email|phone)$/

/** A value that the audit log does not show, a secret or the address of a person: it says that there is one, and that another one came. */
export class Concealed {
  readonly value: string
  constructor(value: string) {
    this.value = value
  }
}

/** Conceals a value where there is one. */
export function concealed(value: string | undefined): Concealed | undefined {
  return value === undefined ? undefined : new Concealed(value)
}

/**
 * Old and new value of each member that differs, for the audit log: members of objects by their path, lists as text. Contacts of people are {@link Concealed}, and long
 * values shown from their first difference on.
 */
export function changedMembers(before: object, after: object): Readonly<Record<string, Change>> {
  const [was, is] = [new Map(membersOf('', before)), new Map(membersOf('', after))]
  const names = [...new Set([...was.keys(), ...is.keys()])]
  const pairs = names.flatMap((name): [string, Change][] => {
    const [old, now] = [was.get(name), is.get(name)]
    if (plainOf(old) === plainOf(now)) return []
    return [[name, CONTACT.test(name) ? shown(hidden(old), hidden(now)) : shown(old, now)]]
  })
  const more = pairs.length - MOST_MEMBERS
  const rest: [string, Change][] = more > 0 ? [['further members', [null, more]]] : []
  return Object.fromEntries([...pairs.slice(0, MOST_MEMBERS), ...rest])
}

type Member = Change[0] | Concealed

function membersOf(path: string, value: object): [string, Member][] {
  return Object.entries(value).flatMap(([name, member]): [string, Member][] => memberOf(`${path}${name}`, member))
}

function memberOf(path: string, value: unknown): [string, Member][] {
  if (value === undefined || value === null) return []
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return [[path, value]]
  if (value instanceof Concealed) return [[path, value]]
  if (Array.isArray(value)) return value.length === 0 ? [] : [[path, listText(value)]]
  return membersOf(`${path}.`, Object(value))
}

function listText(list: readonly unknown[]): string {
  return list.some((each) => typeof each === 'object') ? JSON.stringify(list) : list.join(', ')
}

function plainOf(member: Member | undefined): Change[0] {
  return member instanceof Concealed ? member.value : (member ?? null)
}

function hidden(member: Member | undefined): Concealed | undefined {
  return member instanceof Concealed || member === undefined ? member : concealed(String(member))
}

function shown(before: Member | undefined, after: Member | undefined): Change {
  if (before instanceof Concealed || after instanceof Concealed)
    return [before === undefined ? null : 'not shown', after === undefined ? null : 'not shown, changed']
  const [was, is] = [before ?? null, after ?? null]
  const start = Math.max(0, firstDifference(String(was), String(is)) - LEAD)
  return [shortened(was, start), shortened(is, start)]
}

function shortened(value: Change[0], start: number): Change[0] {
  if (typeof value !== 'string' || value.length <= MOST_SHOWN) return value
  const end = start + MOST_SHOWN
  return `${start > 0 ? '…' : ''}${value.slice(start, end)}${end < value.length ? '…' : ''}`
}

function firstDifference(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  for (let index = 0; index < most; index++) if (one[index] !== other[index]) return index
  return most
}
