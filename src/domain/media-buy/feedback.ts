import type { MediaBuy } from './media-buy.ts'

/** A buyer's judgement of how a package performs, as its delivery takes it: 1 is as expected. */
export interface PaceChange {
  readonly at: string
  readonly index: number
}

/**
 * Lets feedback on how a media buy performs steer its pace: of one package, or of all that are not canceled. Feedback on single creatives is about their rotation and changes no
 * pace. The latest judgement counts.
 */
export function steerBy(
  buy: MediaBuy,
  feedback: { readonly index: number; readonly packageId: string | undefined; readonly creativeId: string | undefined },
  now: Date,
): MediaBuy {
  const { index, packageId, creativeId } = feedback
  if (creativeId !== undefined) return buy
  const change: PaceChange = { at: now.toISOString(), index }
  const packages = buy.packages.map((pkg) =>
    pkg.cancellation || (packageId !== undefined && pkg.packageId !== packageId)
      ? pkg
      : { ...pkg, feedback: [...(pkg.feedback ?? []), change].slice(-MOST_CHANGES) },
  )
  return { ...buy, packages }
}

/** Judgements that a package keeps: a daily one over the longest flight. */
const MOST_CHANGES = 1_100

/** From here on an index is more likely one of a hundred than so many times what was expected. */
const UNLIKELY = 10

/** What becomes of a judgement, in a sentence. `isSteered`: whether the ad server of the order goes by it. */
export function feedbackNote(
  { index, creativeId }: { readonly index: number; readonly creativeId: string | undefined },
  isSteered: boolean,
): string {
  const scale = `performance_index ${index} (1 is as expected, 1.2 is 20 % better)`
  const meant = index >= UNLIKELY ? ` Send ${index / 100} where ${index} of 100 was meant: the latest counts.` : ''
  if (creativeId !== undefined) return `${scale} is kept: feedback on one creative changes no delivery.${meant}`
  if (!isSteered) return `${scale} is kept with the order: no ad server here changes delivery by it.${meant}`
  return `${scale}: from now on this simulated order delivers ${index} times as fast as planned, within its budget.${meant}`
}
