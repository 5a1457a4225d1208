import { randomUUID } from 'node:crypto'
import { HOSTILE_NAMES, HOSTILE_VALUES, LARGE_VALUES } from './hostile-values.ts'

/** One large value in this many changes. */
const LARGE_ONE_IN = 400

interface Place {
  readonly parent: Record<string, unknown> | unknown[]
  readonly name: string
}

/** A copy of a request with up to four members replaced, removed, renamed, added or doubled. */
export function mutation(base: object, random: () => number, isChange: boolean): object {
  const request: Record<string, unknown> = structuredClone({ ...base })
  const changes = Math.floor(random() * 5)
  for (let change = 0; change < changes; change++) change1(request, random)
  // Else most calls that change something would be refused for their key alone.
  if (isChange && random() < 0.9) request.idempotency_key = randomUUID()
  return request
}

function change1(root: Record<string, unknown>, random: () => number): void {
  const places = [...placesIn(root)]
  const place = places[Math.floor(random() * places.length)]
  const how = random()
  if (!place || how < 0.15) {
    const objects = [root, ...places.map(({ parent, name }) => valueAt(parent, name)).filter(isObject)]
    put(pick(objects, random), pick(HOSTILE_NAMES, random), hostile(random))
    return
  }
  const { parent, name } = place
  if (how < 0.75) put(parent, name, hostile(random))
  else if (how < 0.85) drop(parent, name)
  else if (how < 0.95) {
    const value = valueAt(parent, name)
    drop(parent, name)
    put(parent, Array.isArray(parent) ? '0' : pick(HOSTILE_NAMES, random), value)
  } else if (Array.isArray(parent)) parent.push(structuredClone(valueAt(parent, name)))
  else put(parent, name, [valueAt(parent, name), valueAt(parent, name)])
}

function hostile(random: () => number): unknown {
  return structuredClone(random() * LARGE_ONE_IN < 1 ? pick(LARGE_VALUES, random) : pick(HOSTILE_VALUES, random))
}

function* placesIn(value: unknown): Generator<Place> {
  if (!isObject(value) && !Array.isArray(value)) return
  for (const name of Object.keys(value)) {
    yield { parent: value, name }
    yield* placesIn(valueAt(value, name))
  }
}

const valueAt = (parent: Place['parent'], name: string): unknown =>
  Array.isArray(parent) ? parent[Number(name)] : Object.getOwnPropertyDescriptor(parent, name)?.value

/** Defined, since `__proto__` would be set. */
function put(parent: Place['parent'], name: string, value: unknown): void {
  if (Array.isArray(parent)) parent[Number(name)] = value
  else Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true })
}

function drop(parent: Place['parent'], name: string): void {
  if (Array.isArray(parent)) parent.splice(Number(name), 1)
  else delete parent[name]
}

/** One of the values. Throws when there are none. */
export function pick<T>(values: readonly T[], random: () => number): T {
  const value = values[Math.floor(random() * values.length)]
  if (value === undefined && values.length === 0) throw new Error('nothing to pick from')
  return value as T
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The path of every member and item of a value. */
export function placesOf(value: unknown): string[][] {
  return pathsIn(value, [])
}

function pathsIn(value: unknown, at: readonly string[]): string[][] {
  if (!isObject(value) && !Array.isArray(value)) return []
  return Object.keys(value).flatMap((name) => [[...at, name], ...pathsIn(valueAt(value, name), [...at, name])])
}

/** A copy of a request with another value at a path. */
export function changedAt(request: object, path: readonly string[], value: unknown): object {
  const copy: Record<string, unknown> = structuredClone({ ...request })
  const name = path.at(-1)
  let parent: Place['parent'] = copy
  for (const step of path.slice(0, -1)) {
    const next = valueAt(parent, step)
    if (!isObject(next) && !Array.isArray(next)) return copy
    parent = next
  }
  if (name !== undefined) put(parent, name, structuredClone(value))
  return copy
}
