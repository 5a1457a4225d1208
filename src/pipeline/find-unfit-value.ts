import { notText } from '../domain/fit-text.ts'
import { MAX_NAME } from '../platform/decode/parse-json.ts'
import { isKeptId, MAX_ARGUMENT_MEMBERS, MAX_ITEMS, MAX_KEPT_ID, maxLengthOf, mostItemsOf } from './value-bounds.ts'

/** A value that no task accepts, whatever its schema says. */
export interface UnfitValue {
  /** JSONPath-lite of the value (`packages[0].ext.note`), or of the object that holds the member; empty for the arguments themselves. */
  readonly field: string
  /** What is wrong and what is accepted: a sentence after the field's name. */
  readonly problem: string
}

interface Place {
  readonly value: object
  /** Name of the member that holds the value; undefined for an item of an array. */
  readonly name: string | undefined
  readonly index: number
  readonly parent: Place | undefined
}

/** No limit of `taskLimits` is lower, so that the paths of short arrays need not be built. */
const FEWEST_LIMITED = 50

/** Texts up to this length are within every bound. */
const ALWAYS_SHORT_ENOUGH = MAX_KEPT_ID

/**
 * The first value in `root` that is beyond the general bounds: text that is not Unicode or holds NUL, a number that is not finite, too
 * long a text, too many items or members. `limits` has narrower limits of arrays, by path without positions. Visits every value once;
 * depth and number of values are bounded before (`findCredential`).
 */
export function findUnfitValue(root: unknown, limits: Readonly<Record<string, number>>): UnfitValue | undefined {
  const stack: Place[] = []
  if (typeof root === 'object' && root !== null) stack.push({ value: root, name: undefined, index: 0, parent: undefined })
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    const found = Array.isArray(place.value)
      ? inArray(place, place.value, limits, stack)
      : inObject(place, Object.entries(place.value), stack)
    if (found) return found
  }
  return undefined
}

function inArray(
  place: Place,
  items: readonly unknown[],
  limits: Readonly<Record<string, number>>,
  stack: Place[],
): UnfitValue | undefined {
  const path = items.length > FEWEST_LIMITED ? pathOf(place, false) : undefined
  const most = path === undefined ? MAX_ITEMS : (limits[path] ?? mostItemsOf(path))
  if (items.length > most) return { field: pathOf(place), problem: tooMany(items.length, most, 'items') }
  const name = memberNameOf(place)
  for (const [index, item] of items.entries()) {
    const found = unfit(item, name)
    if (found) return { field: `${pathOf(place)}[${index}]`, problem: found }
    if (typeof item === 'object' && item !== null) stack.push({ value: item, name: undefined, index, parent: place })
  }
  return undefined
}

function inObject(place: Place, members: readonly (readonly [string, unknown])[], stack: Place[]): UnfitValue | undefined {
  if (members.length > MAX_ARGUMENT_MEMBERS)
    return { field: pathOf(place), problem: tooMany(members.length, MAX_ARGUMENT_MEMBERS, 'members') }
  for (const [name, member] of members) {
    if (name.length > MAX_NAME)
      return { field: pathOf(place), problem: `has a member whose name is longer than ${MAX_NAME} characters` }
    const wrong = notText(name)
    if (wrong !== undefined) return { field: pathOf(place), problem: `has a member whose name ${wrong}` }
    const found = member === '' && isKeptId(name) && !isEchoed(place) ? EMPTY_ID : unfit(member, name)
    if (found) return { field: pathOf({ value: place, name, index: 0, parent: place }), problem: found }
    if (typeof member === 'object' && member !== null) stack.push({ value: member, name, index: 0, parent: place })
  }
  return undefined
}

const EMPTY_ID = `is empty; send 1 to ${MAX_KEPT_ID} characters`

function unfit(value: unknown, name: string): string | undefined {
  if (typeof value === 'string') {
    const most = value.length > ALWAYS_SHORT_ENOUGH ? maxLengthOf(name) : value.length
    if (value.length > most) return `is ${value.length} characters long; at most ${most} are accepted`
    return notText(value)
  }
  if (typeof value === 'number' && !Number.isFinite(value)) return 'is beyond the range of a double-precision number'
  return undefined
}

function tooMany(count: number, most: number, what: string): string {
  return `has ${count} ${what}; at most ${most} are accepted`
}

/** Name of the nearest member above, which is what the items of a list are called by. */
function memberNameOf(place: Place): string {
  for (let at: Place | undefined = place; at; at = at.parent) if (at.name !== undefined) return at.name
  return ''
}

/** In `context` or `ext`, which mean something to the caller alone. */
function isEchoed(place: Place): boolean {
  let top = place
  while (top.parent?.parent) top = top.parent
  return top.name === 'context' || top.name === 'ext'
}

function pathOf(place: Place, withPositions = true): string {
  const parts: string[] = []
  for (let at: Place | undefined = place; at?.parent; at = at.parent) {
    if (at.name !== undefined) parts.push(at.parent.parent ? `.${at.name}` : at.name)
    else if (withPositions) parts.push(`[${at.index}]`)
    else parts.push('[]')
  }
  return parts.reverse().join('')
}
