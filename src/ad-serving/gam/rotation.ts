import type { Association } from '../../domain/ad-serving/desired-order.ts'

/** Weight of associations in lines that rotate evenly; the network's own default. */
const EVEN = 10
/** Smallest weight of an association that serves. */
const LEAST = 0.01

/** Weights of associations (`manualCreativeRotationWeight`), in their order: the shares that are asked for; those without one divide what is left of a hundred. */
export function rotationOf(associations: readonly Pick<Association, 'weight'>[]): readonly number[] {
  const asked = associations.flatMap(({ weight }) => weight ?? [])
  if (asked.length === 0) return associations.map(() => EVEN)
  const left = (100 - asked.reduce((sum, weight) => sum + weight, 0)) / Math.max(1, associations.length - asked.length)
  return associations.map(({ weight }) => Math.max(LEAST, Math.round((weight ?? left) * 100) / 100))
}
