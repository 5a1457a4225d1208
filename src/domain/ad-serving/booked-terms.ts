import type { ExistingLine } from './existing-line.ts'

/** Keys and values that lines on a unit all have to match, by the ad server's ids. */
export type KeyValues = NonNullable<ExistingLine['keyValues']>

/** What lines that ran on a unit were booked with, by impressions: its size does not grow with the lines. */
export interface BookedTerms {
  impressions: number
  guaranteed: number
  readonly bySize: Map<string, number>
  /** By JSON of the keys and values; at most {@link MOST_TARGETINGS}. */
  readonly byKeyValues: Map<string, { readonly keyValues: KeyValues; readonly weight: number }>
}

/** Targetings that are counted for one unit; rare ones beyond it are none that a product has. */
const MOST_TARGETINGS = 50
/** Share of impressions from which on sizes and keys of past lines are those of the unit. */
const SIZE_SHARE = 0.01
const USUAL_SHARE = 0.5
const GUARANTEED = ['STANDARD', 'SPONSORSHIP']

export function noTerms(): BookedTerms {
  return { impressions: 0, guaranteed: 0, bySize: new Map(), byKeyValues: new Map() }
}

/** Adds a line. `impressions`: those that it delivered on the unit; one that delivered nothing counts as one impression. */
export function addTerms(terms: BookedTerms, { type, sizes = [], keyValues = [] }: ExistingLine, impressions: number): void {
  const weight = Math.max(1, impressions)
  terms.impressions += weight
  if (GUARANTEED.includes(type)) terms.guaranteed += weight
  for (const size of new Set(sizes)) terms.bySize.set(size, (terms.bySize.get(size) ?? 0) + weight)
  const key = JSON.stringify(keyValues)
  const known = terms.byKeyValues.get(key)
  if (known !== undefined || terms.byKeyValues.size < MOST_TARGETINGS)
    terms.byKeyValues.set(key, { keyValues, weight: (known?.weight ?? 0) + weight })
}

/** Those of the sizes that lines were booked in, most impressions first; all of them where no line says. */
export function usedSizes({ impressions, bySize }: BookedTerms, sizes: readonly string[]): readonly string[] {
  const used = sizes.filter((size) => (bySize.get(size) ?? 0) >= impressions * SIZE_SHARE && bySize.has(size))
  return used.length === 0 ? sizes : used.sort((a, b) => (bySize.get(b) ?? 0) - (bySize.get(a) ?? 0))
}

/** Keys and values that more than half of the impressions were booked with; empty: there are none. */
export function usualKeyValues({ impressions, byKeyValues }: BookedTerms): KeyValues {
  return [...byKeyValues.values()].find(({ weight }) => weight > impressions * USUAL_SHARE)?.keyValues ?? []
}

/** Whether more than half of the impressions were sold with reserved inventory. */
export function isMostlyGuaranteed({ impressions, guaranteed }: BookedTerms): boolean {
  return guaranteed > impressions * USUAL_SHARE
}
