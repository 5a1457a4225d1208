import { sameValue } from '../same-value.ts'
import type { Association } from './desired-order.ts'
import type { ObservedAssociation } from './observed-order.ts'

/** Whether a line shows what it should: the same creatives, with the weights and placements that the ad server reports. Their order means nothing. */
export function sameAssociations(wanted: readonly Association[], shown: readonly ObservedAssociation[]): boolean {
  const byCreative = new Map(shown.map((one) => [one.creativeExternalId, one]))
  return (
    byCreative.size === shown.length &&
    wanted.length === shown.length &&
    wanted.every((one) => {
      const there = byCreative.get(one.creativeExternalId)
      return there !== undefined && reports(there.weight, one.weight) && reports(there.placementIds, one.placementIds)
    })
  )
}

function reports(shown: unknown, wanted: unknown): boolean {
  return shown === undefined || sameValue(shown, wanted)
}
