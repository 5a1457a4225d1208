import { isObject } from './is-object.ts'

/** A member under a name that its place does not know, and where it was meant: `channels`, `filters.statuses`, `refine[].proposal_id`; words may follow in brackets. */
export interface Misnamed {
  /** RFC 6901 pointer of the member. */
  readonly pointer: string
  readonly meant: string
}

type Members = Readonly<Record<string, unknown>>

/** A path alone, or with what explains it in brackets. */
const PLAIN_PATH = /^([a-z0-9_]+(?:\[\])?(?:\.[a-z0-9_]+(?:\[\])?)*)(?: \([^()]*\))?$/

/**
 * A copy of a request with its misnamed members where they were meant, so that what is wrong beside the names is found with them. A member whose place is
 * taken, or said in other words than a path, stays. Undefined when all stay.
 */
export function asMeant(request: object, misnamed: readonly Misnamed[]): object | undefined {
  const copy = structuredClone(request)
  const moved = misnamed.filter((each) => move(copy, each))
  return moved.length > 0 ? copy : undefined
}

function move(root: object, { pointer, meant }: Misnamed): boolean {
  const path = PLAIN_PATH.exec(meant)?.[1]?.split('.')
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const name = parts.pop()
  const owner = parts.reduce<unknown>(memberOf, root)
  const last = path?.pop()
  if (!path || last === undefined || name === undefined || !isObject(owner)) return false
  if (Array.isArray(owner[name]) && path.at(-1)?.endsWith('[]') && !meant.endsWith(' (a list)'))
    return spread(owner, name, path, last)
  const target = path.reduce<Members | undefined>((at, step) => at && entered(at, step), owner)
  const wanted = last.replace('[]', '')
  const row = target && rowFor(target, wanted, name, meant)
  if (row) return Reflect.set(row, name, owner[name]) && Reflect.deleteProperty(owner, name)
  if (!target || Object.hasOwn(target, wanted)) return false
  const value = owner[name]
  Reflect.set(target, wanted, meant.endsWith(' (a list)') && !Array.isArray(value) ? [value] : value)
  return Reflect.deleteProperty(owner, name)
}

/**
 * The object that a member belongs into by the example of what was meant, which has a member of its name: `ask` in `refinements ([{"proposal_id": "…", "ask": "…"}])`. It is put where it is
 * wanted, once for all members that are meant there.
 */
function rowFor(target: Members, wanted: string, name: string, meant: string): Members | undefined {
  const example = exampleIn(meant)
  const sample = firstOf(example)
  // A path that ends with the member itself has its row already.
  if (wanted === name || sample?.[name] !== OPEN) return undefined
  if (!Object.hasOwn(target, wanted)) return Reflect.set(target, wanted, example) ? sample : undefined
  const there = firstOf(target[wanted])
  return there?.[name] === OPEN ? there : undefined
}

/** A text of an example that stays open. */
const OPEN = '\u2026'

/** The example in brackets after a path; undefined where there is none, or none in JSON. */
function exampleIn(meant: string): unknown {
  const [, text] = / \(([[{].*[\]}])\)$/.exec(meant) ?? []
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function firstOf(value: unknown): Members | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return isObject(first) ? first : undefined
}

/** Gives each object of the list at the end of a path one value of a list: `product_ids: ["a", "b"]` as a package each. A value that is an object is a whole one. */
function spread(owner: Members, name: string, path: readonly string[], member: string): boolean {
  const list = path.at(-1)?.replace('[]', '') ?? ''
  const target = path.slice(0, -1).reduce<Members | undefined>((at, step) => at && entered(at, step), owner)
  const values = owner[name]
  if (!target || !Array.isArray(values) || Object.hasOwn(target, list) || values.length === 0) return false
  const rows = values.map((value: unknown) => (isObject(value) ? value : { [member]: value }))
  return Reflect.set(target, list, rows) && Reflect.deleteProperty(owner, name)
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)]
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** The object, or the first object of the list, that a step of a path leads to, made where there is none. */
function entered(at: Members, step: string): Members | undefined {
  const name = step.replace('[]', '')
  if (!Object.hasOwn(at, name)) Reflect.set(at, name, step.endsWith('[]') ? [{}] : {})
  const value = at[name]
  const inside: unknown = Array.isArray(value) ? value[0] : value
  return isObject(inside) ? inside : undefined
}
