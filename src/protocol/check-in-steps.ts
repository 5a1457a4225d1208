import type { Steps } from '../platform/concurrency/steps.ts'
import type { Issue } from './errors.ts'
import { isObject } from './is-object.ts'
import type { Validate } from './schemas.ts'
import { ValueSizes } from './value-sizes.ts'

/** Values that are judged in one step: some milliseconds. */
const MOST_VALUES = 5_000

/**
 * What `check` finds in a document of megabytes, in steps: each judges some thousand values of one long list, inside the objects around it, so that an object
 * is never judged apart (any member of it may be required). Findings name their place in the whole. Repeated items of a long list are found where they are near
 * each other. Ends after the step that brings it to `most` findings.
 */
export function* checkInSteps(check: Validate, document: unknown, most: number): Steps<readonly Issue[]> {
  const sizes = new ValueSizes(MOST_VALUES)
  const found = [...check(headOf(document, sizes))]
  const whole: Place = { pointer: '', pointerInPart: '', around: (value) => value }
  for (const { list, start, place } of laterParts(document, whole, sizes)) {
    yield
    if (found.length >= most) break
    for (const issue of check(place.around(list))) {
      // What was left out around the list is missed there.
      if (!issue.pointer.startsWith(`${place.pointerInPart}/`)) continue
      const [index, ...rest] = issue.pointer.slice(place.pointerInPart.length + 1).split('/')
      found.push({ ...issue, pointer: [place.pointer, start + Number(index), ...rest].join('/') })
    }
  }
  return found
}

/** Where a value is in the document, where it is in one that holds a part alone, and how that one is made of the part. */
interface Place {
  readonly pointer: string
  readonly pointerInPart: string
  readonly around: (value: unknown) => unknown
}

/** Items of a long list. */
interface Part {
  readonly list: readonly unknown[]
  /** The place of the first item in the whole list. */
  readonly start: number
  readonly place: Place
}

/** A value with the first items of its long lists alone. */
function headOf(value: unknown, sizes: ValueSizes): unknown {
  if (!sizes.isLarge(value)) return value
  if (isObject(value)) return withMembers(value, sizes, (member) => headOf(member, sizes))
  if (!Array.isArray(value)) return value
  const [first] = groupsOf(value, sizes)
  return first?.map((item) => headOf(item, sizes)) ?? value
}

/** What {@link headOf} leaves out, part by part. */
function* laterParts(value: unknown, place: Place, sizes: ValueSizes): Generator<Part> {
  if (!sizes.isLarge(value)) return
  if (isObject(value)) {
    const { large } = sizes.of(value)
    const hollow = withMembers(value, sizes, (member) => (Array.isArray(member) ? [] : {}))
    for (const [name, member] of large) {
      const step = name.replaceAll('~', '~0').replaceAll('/', '~1')
      const inside = {
        pointer: `${place.pointer}/${step}`,
        pointerInPart: `${place.pointerInPart}/${step}`,
        around: (part: unknown) => place.around({ ...hollow, [name]: part }),
      }
      yield* laterParts(member, inside, sizes)
    }
  } else if (Array.isArray(value)) {
    let start = 0
    for (const list of groupsOf(value, sizes)) {
      if (start > 0) yield { list: list.map((item) => headOf(item, sizes)), start, place }
      const [item] = list
      const inside = {
        pointer: `${place.pointer}/${start}`,
        pointerInPart: `${place.pointerInPart}/0`,
        around: (part: unknown) => place.around([part]),
      }
      if (list.length === 1) yield* laterParts(item, inside, sizes)
      start += list.length
    }
  }
}

/** The items of a list in order, as many together as one step judges, and each that is too large by itself alone. */
function* groupsOf(list: readonly unknown[], sizes: ValueSizes): Generator<readonly unknown[]> {
  let start = 0
  let values = 0
  for (const [index, item] of list.entries()) {
    const ofItem = sizes.values(item)
    if (index > start && values + ofItem > MOST_VALUES) {
      yield list.slice(start, index)
      start = index
      values = 0
    }
    values += ofItem
  }
  if (start < list.length) yield list.slice(start)
}

/** The object, or a copy whose large members are changed. `__proto__` is a member like others. */
function withMembers(object: Readonly<Record<string, unknown>>, sizes: ValueSizes, change: (member: object) => unknown): object {
  const { large } = sizes.of(object)
  if (large.length === 0) return object
  return { ...object, ...Object.fromEntries(large.map(([name, member]) => [name, change(member)])) }
}
