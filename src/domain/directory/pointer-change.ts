import type { InlineFile } from './adagents-file.ts'
import { DELEGATIONS } from './agent-entry.ts'
import { isRollback } from './freshness.ts'
import { agentsFor, indexFile } from './resolve.ts'

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
  readonly candidate: InlineFile | undefined
  /** The file in force. */
  readonly held: InlineFile | undefined
  readonly brand: BrandWord
  /** Canonical keys of agents that the directory has met before. */
  readonly known: ReadonlySet<string>
}

/** Canonical keys of the agents that a file lets sell the publisher that points at it, now or in an effective window to come. */
export function agentsPointedAt(file: InlineFile, publisher: string): readonly string[] {
  const always = file.agents.map((entry) => ({ ...entry, effectiveFrom: Number.NEGATIVE_INFINITY, effectiveUntil: 1 }))
  return [...agentsFor(indexFile({ ...file, agents: always }), { publisher, impliedByLocation: true, now: 0 })]
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
  const agents = agentsPointedAt(candidate, publisher)
  const foreign = brand.kind === 'names' ? agents.find((agent) => !brand.agents.has(agent)) : undefined
  if (foreign !== undefined && !isStale(brand, change.pointerUpdated))
    return `it authorises ${foreign}, which the brand.json of ${publisher} does not name`
  if (isRollback(held?.lastUpdated, candidate.lastUpdated)) return 'its last_updated is older than that of the file in force'
  if (held && delegationRank(candidate, publisher) > delegationRank(held, publisher))
    return 'it delegates less directly than the file in force'
  const stranger = agents.find((agent) => !known.has(agent) && !(brand.kind === 'names' && brand.agents.has(agent)))
  return stranger === undefined ? undefined : `it authorises ${stranger}, which no other file has named before`
}

/** A brand.json from before the pointer moved may lag behind it: then it neither confirms nor contradicts. */
function isStale(brand: BrandWord, pointerUpdated: number | undefined): boolean {
  if (brand.kind !== 'names' || brand.lastUpdated === undefined || pointerUpdated === undefined) return false
  return brand.lastUpdated < pointerUpdated
}

/** Place of the most direct delegation that a file gives for the publisher; entries that name none do not count. */
function delegationRank(file: InlineFile, publisher: string): number {
  const agents = new Set(agentsPointedAt(file, publisher))
  const ranks = file.agents.flatMap(({ agent, delegation }) =>
    delegation !== undefined && agents.has(agent) ? DELEGATIONS.indexOf(delegation) : [],
  )
  return ranks.length === 0 ? Number.NEGATIVE_INFINITY : Math.min(...ranks)
}
