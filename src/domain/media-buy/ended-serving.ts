import type { CreativeFact, Window } from './media-buy.ts'

/** The stretches in which creatives served that are taken off a package now. */
export function endedServing(creatives: readonly CreativeFact[], now: Date): Window[] {
  const until = now.toISOString()
  return creatives.flatMap(({ creativeId, served = [], servesFrom }) => [
    ...served.map((window) => ({ ...window, creativeId })),
    ...(servesFrom !== undefined && servesFrom < until ? [{ from: servesFrom, until, creativeId }] : []),
  ])
}
