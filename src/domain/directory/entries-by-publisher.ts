import type { Steps } from '../../platform/concurrency/steps.ts'
import type { InlineFile } from './adagents-file.ts'
import type { AgentEntry, Scope } from './agent-entry.ts'
import type { Property } from './property.ts'

const known = new WeakMap<InlineFile, ReadonlyMap<string, readonly AgentEntry[]>>()

/** Entries of a file that may select a property that names a publisher, by publisher, in the order of the file. */
export function* entriesByPublisher(file: InlineFile): Steps<ReadonlyMap<string, readonly AgentEntry[]>> {
  const before = known.get(file)
  if (before) return before
  const publishers = yield* publishersOf(file.properties)
  const entries = new Map<string, AgentEntry[]>()
  for (const entry of file.agents) {
    yield
    for (const publisher of yield* named(entry.scope, publishers)) {
      yield
      const list = entries.get(publisher)
      if (list) list.push(entry)
      else entries.set(publisher, [entry])
    }
  }
  known.set(file, entries)
  return entries
}

interface Publishers {
  readonly all: ReadonlySet<string>
  readonly id: ReadonlyMap<string, ReadonlySet<string>>
  readonly tag: ReadonlyMap<string, ReadonlySet<string>>
}

function* named(scope: Scope, publishers: Publishers): Steps<ReadonlySet<string>> {
  if (scope.kind === 'properties' && scope.selects.by === 'all') return publishers.all
  const found = new Set<string>()
  for (const publisher of namesIn(scope, publishers)) {
    if (found.size % ITEMS_OF_A_STEP === ITEMS_OF_A_STEP - 1) yield
    found.add(publisher)
  }
  return found
}

/** Publishers that an entry with a scope of its own may be about, some of them repeatedly. */
function* namesIn(scope: Scope, publishers: Publishers): Generator<string> {
  if (scope.kind === 'inline')
    for (const { publisherDomain } of scope.properties) if (publisherDomain !== undefined) yield publisherDomain
  if (scope.kind === 'selectors') for (const { domains } of scope.selectors) yield* domains
  if (scope.kind !== 'properties' || scope.selects.by === 'all') return
  for (const value of scope.selects.wanted) yield* publishers[scope.selects.by].get(value) ?? []
}

/** Properties between two steps: some tenths of a millisecond. */
const ITEMS_OF_A_STEP = 512

function* publishersOf(properties: readonly Property[]): Steps<Publishers> {
  const all = new Set<string>()
  const [id, tag] = [new Map<string, Set<string>>(), new Map<string, Set<string>>()]
  const add = (map: Map<string, Set<string>>, value: string, publisher: string) => {
    const list = map.get(value)
    if (list) list.add(publisher)
    else map.set(value, new Set([publisher]))
  }
  for (const [index, { publisherDomain: publisher, id: propertyId, tags }] of properties.entries()) {
    if (index % ITEMS_OF_A_STEP === ITEMS_OF_A_STEP - 1) yield
    if (publisher === undefined) continue
    all.add(publisher)
    add(id, propertyId, publisher)
    for (const each of tags) add(tag, each, publisher)
  }
  return { all, id, tag }
}
