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

/**
 * Bytes that the claims of one file take at most, each with a copy of its ids: a directory stores and reads them, and its feed has them once more. It is room
 * for five agents that each sell 200,000 properties with ids of 13 characters, or for 80,000 pairs of an agent and a publisher; the commit of as much keeps
 * everyone else waiting for some tens of milliseconds.
 */
export const MOST_BYTES = 16_000_000

/** Bytes of a claim beside its ids: its columns and its entry of a page. */
const BYTES_OF_CLAIM = 200

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
  const total: Weight = { ...NOTHING }
  for (const { scope } of agents) {
    yield
    add(total, grantedBy(scope, { whole, ofDomain, implied }))
  }
  const granted = `the file grants ${total.grants} properties in all, summed over its ${agents.length} entries of agents`
  if (total.grants > MOST_GRANTS) return `${granted}; at most ${MOST_GRANTS} are read: name agents once, or fewer properties`
  const bytes = total.bytes + total.claims * BYTES_OF_CLAIM
  if (bytes <= MOST_BYTES) return undefined
  return `${granted}, whose ids take ${bytes} bytes with the ${total.claims} pairs of an agent and a publisher; at most ${MOST_BYTES} are read: name agents once, or fewer properties, or give them shorter ids`
}

/** What a directory stores of grants. */
interface Weight {
  grants: number
  /** Of the ids. */
  bytes: number
  /** Pairs of an agent and a publisher. */
  claims: number
}

const NOTHING: Readonly<Weight> = { grants: 0, bytes: 0, claims: 0 }

function add(sum: Weight, { grants, bytes, claims }: Readonly<Weight>): void {
  sum.grants += grants
  sum.bytes += bytes
  sum.claims += claims
}

/** Properties between two steps: some tenths of a millisecond. */
const ITEMS_OF_A_STEP = 512

interface Counts {
  readonly all: Weight
  readonly id: ReadonlyMap<string, Weight>
  readonly tag: ReadonlyMap<string, Weight>
}

function grantedBy(
  scope: Scope,
  counts: { readonly whole: Counts; readonly ofDomain: ReadonlyMap<string, Counts>; readonly implied: Counts },
): Readonly<Weight> {
  if (scope.kind === 'properties') return selected(scope.selects, counts.whole)
  if (scope.kind === 'inline') return weightOf(scope.properties)
  if (scope.kind === 'signals') return NOTHING
  const granted: Weight = { ...NOTHING }
  for (const { domains, selects } of scope.selectors) {
    // Properties without a domain are those of the one domain at which the file lies.
    add(granted, selected(selects, counts.implied))
    for (const domain of domains) {
      const own = counts.ofDomain.get(domain)
      if (own) add(granted, selected(selects, own))
    }
  }
  return granted
}

/** As much as the selection takes, or a little more where tags overlap. */
function selected(selection: Selection, { all, ...by }: Counts): Readonly<Weight> {
  if (selection.by === 'all' || selection.wanted.size >= all.grants) return all
  const sum: Weight = { ...NOTHING }
  for (const value of selection.wanted) add(sum, by[selection.by].get(value) ?? NOTHING)
  return {
    grants: Math.min(sum.grants, all.grants),
    bytes: Math.min(sum.bytes, all.bytes),
    claims: Math.min(sum.claims, all.claims),
  }
}

function weightOf(properties: readonly Property[]): Weight {
  const weight = { ...NOTHING, claims: new Set(properties.map(({ publisherDomain }) => publisherDomain)).size }
  for (const { id } of properties) {
    weight.grants += 1
    weight.bytes += bytesOf(id)
  }
  return weight
}

/** Of an id in a list of JSON: with its quotation marks and a comma. */
function bytesOf(id: string): number {
  return Buffer.byteLength(JSON.stringify(id)) + 1
}

function* countsOf(properties: readonly Property[]): Steps<Counts> {
  const [id, tag] = [new Map<string, Weight>(), new Map<string, Weight>()]
  const all: Weight = { ...NOTHING }
  /** Of all, and of each tag. */
  const publishers = new Map<Weight, Set<string | undefined>>()
  const count = (weight: Weight, publisher: string | undefined, bytes: number) => {
    const known = publishers.get(weight) ?? new Set()
    publishers.set(weight, known.add(publisher))
    add(weight, { grants: 1, bytes, claims: known.size - weight.claims })
  }
  const weightIn = (map: Map<string, Weight>, value: string) => {
    const weight = map.get(value) ?? { ...NOTHING }
    map.set(value, weight)
    return weight
  }
  for (const [index, property] of properties.entries()) {
    if (index % ITEMS_OF_A_STEP === 0) yield
    const bytes = bytesOf(property.id)
    count(all, property.publisherDomain, bytes)
    // An id is hardly ever that of two properties of one publisher.
    add(weightIn(id, property.id), { grants: 1, bytes, claims: 1 })
    for (const each of property.tags) count(weightIn(tag, each), property.publisherDomain, bytes)
  }
  return { all, id, tag }
}
