/** What a ranking of a publisher's own implements (docs/own-systems.md). */

import type { ProductRanking } from './domain/product/ranking-port.ts'

export type { ProductRanking, RankedProductId, RankingCandidate, RankingQuestion } from './domain/product/ranking-port.ts'

/** What a module gets to make its ranking with. */
export interface RankingSetup {
  /** The `options` of the configuration, as they stand there: the module checks them. */
  readonly options: Readonly<Record<string, unknown>>
  readonly log: {
    info(members: object, message: string): void
    warn(members: object, message: string): void
    error(members: object, message: string): void
  }
}

/** Makes a ranking once for each process. What it throws ends the start of the server, with its message. */
export type RankingFactory = (setup: RankingSetup) => ProductRanking | Promise<ProductRanking>

/** Declares the ranking of a module, as its default export: `export default defineRanking(({ options }) => ({ … }))`. */
export function defineRanking(create: RankingFactory): RankingFactory {
  return create
}
