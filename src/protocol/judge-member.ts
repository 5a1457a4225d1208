import { isDeepStrictEqual } from 'node:util'
import { ENVELOPE_MEMBERS } from './envelope-members.ts'
import { fieldOf } from './field-of.ts'
import { APPLIED_MEMBERS, APPLIED_WHERE_NAMED, KEPT_ANYWAY, LIMIT_INSTEAD, SPENDING_LIMITS } from './later-effects.ts'
import { releaseOfLaterMember } from './later-members.ts'
import { EFFECTIVE_MEMBERS } from './meant-in-reads.ts'
import { MEANT_MEMBERS, NARROWING_MEMBERS, SENT_BY_OTHERS } from './mistaken-members.ts'
import { type NameSearch, nearestName } from './nearest-name.ts'
import { formsAt } from './schema-forms.ts'
import type { SchemaPlace } from './schema-places.ts'
import type { UnnamedMember } from './unnamed-members.ts'

/** What to do about a member that the schemas do not name, and a sentence about it that begins with the member. */
export type MemberVerdict =
  | { readonly kind: 'mistyped'; readonly message: string; readonly meant?: string }
  /** `line`: of the release that it is told to have its effect with. */
  | { readonly kind: 'unsupported'; readonly message: string; readonly line?: string }
  /** Legal: with its effect, or without one. */
  | { readonly kind: 'applied' }
  /** Targeting: what a product does not take of it leaves the product out, or refuses its order. */
  | { readonly kind: 'targeting' }
  | { readonly kind: 'ignored'; readonly line?: string }

const IGNORED: MemberVerdict = { kind: 'ignored' }

/**
 * Judges a member that the schemas do not name. A member of a later release is applied where the task carries it out, refused when it limits spending,
 * and else ignored. A near miss
 * of a member that this place knows, and a member that belongs elsewhere in the request, are taken for mistakes. Anything else is ignored, as the
 * protocol demands (AdCP schemas, `additionalProperties: true`), but for members below a targeting overlay. `converted`: the
 * request is one of a later release, which names what only its calls are given. `names`: the search that all members of the request share.
 */
export function judgeMember(member: UnnamedMember, names: NameSearch, converted = false): MemberVerdict {
  const { name, owner } = member
  const { place } = owner
  if (appliedAt(place, converted).includes(name)) return { kind: 'applied' }
  if (place.places.some((each) => SENT_BY_OTHERS[each]?.includes(name))) return IGNORED
  const release = releaseOf(place, name)
  if (release !== undefined)
    return limitsSpending(place, name) ? laterLimit(member, name, release) : narrowed(member, lineFor(place, name))
  const meant = meantBy(member, names)
  if (meant !== undefined)
    return { kind: 'mistyped', message: `is not known here; did you mean ${wholePath(member, meant)}?`, meant }
  const limit = nearestName(name, limitsAt(place), names)
  if (limit !== undefined) return laterLimit(member, limit, releaseOf(place, limit) ?? '')
  return narrowed(member)
}

/** The later release that defines a member of this name here. */
function releaseOf({ places }: SchemaPlace, name: string): string | undefined {
  return places.map((place) => releaseOfLaterMember(place, name)).find((release) => release !== undefined)
}

/** What gives an ignored member, at a place of the schemas of 3.0, an effect: a release that the call names, or another member. Undefined: nothing does. */
export function waysToApply(place: string, name: string): string | undefined {
  const other = ownValue(EFFECTIVE_MEMBERS[place], name)
  if (other !== undefined) return `send ${other}`
  const line = lineWithEffect(place, name)
  return line === undefined ? undefined : `has an effect with adcp_version "${line}"`
}

function lineWithEffect(place: string, name: string): string | undefined {
  if (ownValue(EFFECTIVE_MEMBERS[place], name) !== undefined) return undefined
  return APPLIED_WHERE_NAMED[place]?.includes(name) ? releaseOfLaterMember(place, name) : undefined
}

function lineFor({ places }: SchemaPlace, name: string): string | undefined {
  return places.map((place) => lineWithEffect(place, name)).find((line) => line !== undefined)
}

/** Whether a member has no effect here in any release: at a place of the schemas of 3.0 it came with a later one, or it limits spending and is refused. */
export function isWithoutEffect(place: string, name: string): boolean {
  const isApplied = APPLIED_MEMBERS[place]?.includes(name) || APPLIED_WHERE_NAMED[place]?.includes(name)
  return !isApplied && (releaseOfLaterMember(place, name) !== undefined || (SPENDING_LIMITS[place]?.includes(name) ?? false))
}

function limitsAt({ places }: SchemaPlace): readonly string[] {
  return places.flatMap((place) => SPENDING_LIMITS[place] ?? [])
}

function appliedAt({ places }: SchemaPlace, converted = false): readonly string[] {
  return places.flatMap((place) => [...(APPLIED_MEMBERS[place] ?? []), ...(converted ? (APPLIED_WHERE_NAMED[place] ?? []) : [])])
}

function limitsSpending(place: SchemaPlace, name: string): boolean {
  return limitsAt(place).includes(name)
}

/** `false` and `null` ask for no limit. */
function laterLimit({ name, value, owner }: UnnamedMember, limit: string, release: string): MemberVerdict {
  if (value === false || value === null) return IGNORED
  if (isDeepStrictEqual(value, KEPT_ANYWAY[limit])) return { kind: 'applied' }
  const what = name === limit ? 'is' : `looks like ${limit}, which is`
  const line = lineFor(owner.place, limit)
  const message = `${what} part of AdCP ${release} and ${effectOf(owner.place, limit)}`
  return { kind: 'unsupported', message, ...(line !== undefined && name === limit && { line }) }
}

function effectOf({ places }: SchemaPlace, limit: string): string {
  const ways = places.map((place) => waysToApply(place, limit)).find((each) => each !== undefined)
  const other = places.map((place) => ownValue(LIMIT_INSTEAD[place], limit)).find((each) => each !== undefined)
  if (ways !== undefined) return `${ways} alone${other === undefined ? '' : `: ${other}`}`
  return `is not supported here: ${other ?? 'leave it out'}`
}

/** What was most likely meant: a known mistake, a name that is spelled alike, or a member of this name further in or out. */
function meantBy(member: UnnamedMember, names: NameSearch): string | undefined {
  const { name, owner } = member
  const { place } = owner
  const known = place.places.map((each) => ownValue(MEANT_MEMBERS[each], name)).find((meant) => meant !== undefined)
  if (known !== undefined) return known
  const near = idMeant(member) ?? nearestName(name, [...place.names, ...appliedAt(place)], names)
  // `account` beside the `accounts` of sync_accounts is no mistake for it.
  const isExtra = near !== undefined && [`${near}s`, near.replace(/s$/, '')].includes(name) && hasMember(owner.value, near)
  if (isExtra) return undefined
  return near === undefined ? misplaced(member) : asList(near, member)
}

/** The plural of a member that was sent with one value is a list: what is moved there is an entry of it. */
function asList(near: string, { name, value }: UnnamedMember): string {
  return near === `${name}s` && !Array.isArray(value) && typeof value !== 'object' ? `${near} (a list)` : near
}

/** What was meant, with the path to it where it lies further in: a path that begins at the object reads as one that begins at the request. */
function wholePath({ pointer, owner }: UnnamedMember, meant: string): string {
  const [first = ''] = /^\w+(?=(?:\[\])?\.)/.exec(meant) ?? []
  const path = fieldOf(pointer.split('/').slice(0, -1).join('/'))
  return path !== '' && owner.place.names.has(first) ? `${path}.${meant}` : meant
}

/** The id that an object lacks, where it was sent as `id`, without its `_id`, or with the name of what it is an id of before it (`property_list_id` for `list_id`). */
function idMeant({ name, value, owner }: UnnamedMember): string | undefined {
  if (typeof value !== 'string') return undefined
  const lacking = [...owner.place.names].filter(
    (own) => own.endsWith('_id') && !ENVELOPE_MEMBERS.has(own) && !hasMember(owner.value, own),
  )
  const named = lacking.find((own) => own === `${name}_id` || (name.endsWith(`_${own}`) && own.length > 3))
  if (named !== undefined || name !== 'id') return named
  const required = new Set(formsAt(owner.place, true).flatMap((form) => form.required))
  const needed = lacking.filter((own) => required.has(own))
  return needed.length === 1 ? needed[0] : lacking.length === 1 ? lacking[0] : undefined
}

/**
 * Where a member of this name belongs, further in or out. Names of one word (`name`, `type`, `brand`) stand in many places and prove nothing, nor does a
 * name that was sent where it belongs as well.
 */
function misplaced({ name, owner, around }: UnnamedMember): string | undefined {
  if (!name.includes('_')) return undefined
  for (const child of owner.place.names) {
    const below = owner.place.declared(child)
    if (below?.names.has(name) && !hasMember(memberOf(owner.value, child), name))
      return `${child}${below.isList ? '[]' : ''}.${name}`
  }
  const outer = around.findLast(({ place }) => place.names.has(name))
  if (!outer || hasMember(outer.value, name)) return undefined
  return `${name} ${outer === around[0] ? 'at the top of the request' : 'one level further out'}`
}

/** Whether an object, or an entry of a list, has a member of this name. */
function hasMember(value: unknown, name: string): boolean {
  return [value].flat().some((each) => typeof each === 'object' && each !== null && Object.hasOwn(each, name))
}

function memberOf(value: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(value, name)?.value
}

/** Nothing unnamed is accepted in the parts of a targeting overlay; the overlay's own members are judged with the product. */
function narrowed({ pointer, owner }: UnnamedMember, line?: string): MemberVerdict {
  const narrowing = pointer
    .split('/')
    .slice(0, -2)
    .find((part) => NARROWING_MEMBERS.has(part))
  // What nothing can be targeted by leaves out every product, and is no member without effect.
  if (NARROWING_MEMBERS.has(pointer.split('/').at(-2) ?? '')) return { kind: 'targeting' }
  if (narrowing === undefined) return line === undefined ? IGNORED : { kind: 'ignored', line }
  const taker =
    pointer
      .split('/')
      .slice(1, -1)
      .findLast((part) => !/^\d+$/.test(part)) ?? narrowing
  return { kind: 'unsupported', message: `is not supported here; ${taker} takes: ${[...owner.place.names].join(', ')}` }
}

function ownValue(record: Readonly<Record<string, string>> | undefined, name: string): string | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined
}
