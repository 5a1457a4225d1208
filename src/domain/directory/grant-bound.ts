import type { Steps } from '../../platform/concurrency/steps.ts'
import type { InlineFile } from './adagents-file.ts'
import type { Scope } from './agent-entry.ts'
import type { Property } from './property.ts'
import type { Selection } from './selector.ts'

/**
 * Properties that one file grants at most, summed over the entries of its agents: what a directory keeps of a file grows with it. The largest networks known
 * have some 7,000 domains; five agents may sell 200,000 properties each.
 */
export const MOST_GRANTS = 1_000_000

/** Entries of a list that one file may have of agents, and of revoked publishers: the largest files known have some thousand. */
export const MOST_ENTRIES = 20_000

/** Publishers that one file may carry properties of. */
export const MOST_PUBLISHERS = 30_000

/** Lists of a file whose entries are bounded, and what to do where there are too many. */
const BOUNDED_LISTS = {
  authorized_agents: 'leave out agents that no longer sell, and give the scopes of one agent in few entries',
  agents: 'leave out agents that no longer sell, and name each agent once',
  revoked_publisher_domains: 'leave out publishers that were revoked more than a year ago',
}

/** Why a decoded file has too many entries to be read, in words; undefined when it has not. Looks at the lengths of its lists alone. */
export function hasTooManyEntries(document: Readonly<Record<string, unknown>>): string | undefined {
  for (const [field, advice] of Object.entries(BOUNDED_LISTS)) {
    const list = document[field]
    if (Array.isArray(list) && list.length > MOST_ENTRIES)
      return `${field} has ${list.length} entries; at most ${MOST_ENTRIES} are read: ${advice}`
  }
  return undefined
}

/** Why a file grants too much, in words; undefined when it does not. Takes time in proportion to the file. */
export function* grantsTooMuch({ properties, agents }: InlineFile): Steps<string | undefined> {
  const whole = yield* countsOf(properties)
  const byDomain = new Map<string, Property[]>()
  for (const property of properties) {
    if (property.publisherDomain === undefined) continue
    const group = byDomain.get(property.publisherDomain)
    if (group) group.push(property)
    else byDomain.set(property.publisherDomain, [property])
  }
  yield
  const inline = agents.flatMap(({ scope }) => (scope.kind === 'inline' ? scope.properties : []))
  const publishers = new Set([...byDomain.keys(), ...inline.flatMap(({ publisherDomain }) => publisherDomain ?? [])])
  if (publishers.size > MOST_PUBLISHERS)
    return `the file carries properties of ${publishers.size} publishers; at most ${MOST_PUBLISHERS} are read: divide it between several addresses, to each of which the authoritative_location of its publishers points`
  yield
  const ofDomain = new Map<string, Counts>()
  for (const [domain, group] of byDomain) ofDomain.set(domain, yield* countsOf(group))
  const implied = yield* countsOf(properties.filter(({ publisherDomain }) => publisherDomain === undefined))
  let total = 0
  for (const { scope } of agents) {
    yield
    total += grantedBy(scope, { whole, ofDomain, implied })
  }
  if (total <= MOST_GRANTS) return undefined
  return `the file grants ${total} properties in all, summed over its ${agents.length} entries of agents; at most ${MOST_GRANTS} are read: name agents once, or fewer properties`
}

/** Properties between two steps: some tenths of a millisecond. */
const ITEMS_OF_A_STEP = 512

interface Counts {
  readonly all: number
  readonly id: ReadonlyMap<string, number>
  readonly tag: ReadonlyMap<string, number>
}

function grantedBy(
  scope: Scope,
  counts: { readonly whole: Counts; readonly ofDomain: ReadonlyMap<string, Counts>; readonly implied: Counts },
): number {
  if (scope.kind === 'properties') return selected(scope.selects, counts.whole)
  if (scope.kind === 'inline') return scope.properties.length
  if (scope.kind === 'signals') return 0
  let granted = 0
  for (const { domains, selects } of scope.selectors) {
    // Properties without a domain are those of the one domain at which the file lies.
    granted += selected(selects, counts.implied)
    for (const domain of domains) {
      const own = counts.ofDomain.get(domain)
      if (own) granted += selected(selects, own)
    }
  }
  return granted
}

/** As many as the selection takes, or a few more where tags overlap. */
function selected(selection: Selection, counts: Counts): number {
  if (selection.by === 'all' || selection.wanted.size >= counts.all) return counts.all
  let sum = 0
  for (const value of selection.wanted) sum += counts[selection.by].get(value) ?? 0
  return Math.min(sum, counts.all)
}

function* countsOf(properties: readonly Property[]): Steps<Counts> {
  const [id, tag] = [new Map<string, number>(), new Map<string, number>()]
  for (const [index, property] of properties.entries()) {
    if (index % ITEMS_OF_A_STEP === 0) yield
    id.set(property.id, (id.get(property.id) ?? 0) + 1)
    for (const each of property.tags) tag.set(each, (tag.get(each) ?? 0) + 1)
  }
  return { all: properties.length, id, tag }
}
