import type { Steps } from '../../platform/concurrency/steps.ts'
import type { InlineFile } from './adagents-file.ts'
import { DELEGATIONS } from './agent-entry.ts'
import { isRollback } from './freshness.ts'
import { indexInSteps, sellingTimes } from './resolve.ts'

/** What a publisher's brand.json says of the agents that act for it. */
export type BrandWord =
  /** There is no such file, or it names no agents. */
  | { readonly kind: 'silent' }
  /** It could not be read this time. */
  | { readonly kind: 'unreadable' }
  /** `agents`: canonical agent keys; `lastUpdated`: Unix milliseconds. */
  | { readonly kind: 'names'; readonly agents: ReadonlySet<string>; readonly lastUpdated: number | undefined }

export interface PointerChange {
  readonly publisher: string
  /** `last_updated` of the pointer file in Unix milliseconds. */
  readonly pointerUpdated: number | undefined
  /** What the new location serves; undefined when no file that names agents could be read there. */
  readonly candidate: PointedFile | undefined
  /** The file in force. */
  readonly held: PointedFile | undefined
  readonly brand: BrandWord
  /** Canonical keys of agents that the directory has met before. */
  readonly known: ReadonlySet<string>
}

/** What a file says of the publisher that points at it. */
export interface PointedFile {
  /** Canonical keys of the agents that the file lets sell the publisher. */
  readonly agents: readonly string[]
  readonly lastUpdated: number | undefined
  /** Place of the most direct delegation that the file gives for the publisher; entries that name none do not count. */
  readonly delegationRank: number
}

/** Reads what a file says of the publisher that points at it. */
export function* pointedFile(file: InlineFile, publisher: string): Steps<PointedFile> {
  const index = yield* indexInSteps(file)
  // Whatever their windows: what is to be sold later is pointed at too.
  const agents = [...(yield* sellingTimes(index, { publisher, impliedByLocation: true })).keys()]
  return { agents, lastUpdated: file.lastUpdated, delegationRank: delegationRank(file, new Set(agents)) }
}

/**
 * Why a changed `authoritative_location` is not to be adopted without an operator, in words; undefined when nothing speaks against it.
 * The agents of the new file have to be those of the publisher's brand.json, where it names any and is not older than the pointer
 * itself; and signals of a swapped pointer (a rollback, a weaker delegation, an unknown agent) hold it back.
 * Source: AdCP managed networks page, pointer integrity.
 */
export function objectionTo(change: PointerChange): string | undefined {
  const { publisher, candidate, held, brand, known } = change
  if (candidate === undefined) return 'no authoritative file can be read there'
  if (brand.kind === 'unreadable') return `the brand.json of ${publisher} cannot be read`
  const { agents } = candidate
  const foreign = brand.kind === 'names' ? agents.find((agent) => !brand.agents.has(agent)) : undefined
  if (foreign !== undefined && !isStale(brand, change.pointerUpdated))
    return `it authorises ${foreign}, which the brand.json of ${publisher} does not name`
  if (isRollback(held?.lastUpdated, candidate.lastUpdated)) return 'its last_updated is older than that of the file in force'
  if (held && candidate.delegationRank > held.delegationRank) return 'it delegates less directly than the file in force'
  const stranger = agents.find((agent) => !known.has(agent) && !(brand.kind === 'names' && brand.agents.has(agent)))
  return stranger === undefined ? undefined : `it authorises ${stranger}, which no other file has named before`
}

/** A brand.json from before the pointer moved may lag behind it: then it neither confirms nor contradicts. */
function isStale(brand: BrandWord, pointerUpdated: number | undefined): boolean {
  if (brand.kind !== 'names' || brand.lastUpdated === undefined || pointerUpdated === undefined) return false
  return brand.lastUpdated < pointerUpdated
}

function delegationRank(file: InlineFile, agents: ReadonlySet<string>): number {
  let first = Number.NEGATIVE_INFINITY
  for (const { agent, delegation } of file.agents) {
    const rank = delegation === undefined || !agents.has(agent) ? first : DELEGATIONS.indexOf(delegation)
    first = first === Number.NEGATIVE_INFINITY ? rank : Math.min(first, rank)
  }
  return first
}
