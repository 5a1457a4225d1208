import type { DeliveryType } from './offer.ts'
/** What a ranking of the publisher's own knows of a product: nothing of prices, rights or buyers. */
export interface RankingCandidate {
  readonly productId: string
  readonly name: string
  readonly description: string
  /** AdCP enums/channels. */
  readonly channels: readonly string[]
  readonly deliveryType: DeliveryType
  /** Words of the publisher: subjects and audiences. */
  readonly keywords: readonly string[]
  readonly audiences: readonly string[]
  /** ISO 3166-1 alpha-2; absent: bound to no country. */
  readonly countries?: readonly string[]
  readonly formatIds: readonly string[]
}

export interface RankingQuestion {
  /** As the buyer wrote it: untrusted text. At most 20,000 characters. */
  readonly brief: string
  /** The products that the buyer may see and that pass its filters: those that the own ranking puts first, then others, at most 500. */
  readonly products: readonly RankingCandidate[]
  /** Aborted when the answer is no longer waited for. */
  readonly signal: AbortSignal
}

/** One product of an answer, which is in order, best first. */
export interface RankedProductId {
  readonly productId: string
  /** From 0 to 1; shares of proposed plans follow it. Absent: it follows from the place. */
  readonly score?: number
  /** Why it answers the brief, in a sentence for the buyer; of a longer one the first 500 characters. */
  readonly reason?: string
}

/** Puts products in order for a brief. What an answer leaves out is no answer to the brief; ids that were not asked about are ignored. */
export interface ProductRanking {
  readonly name: string
  readonly description: string
  rank(question: RankingQuestion): Promise<readonly RankedProductId[]>
}
