import type { MediaBuy } from '../media-buy/media-buy.ts'
import { sameValue } from '../same-value.ts'
import type { BackendCapabilities } from './capabilities.ts'
import type { DayLimits, LineSettings } from './desired-order.ts'
import { settingsOf } from './desired-order-of.ts'

/** Something of a line that an ad server cannot keep. */
export interface Unkeepable {
  /** Wire name of the member of a package. */
  readonly field: string
  /** What was asked for, and what the ad server can keep. */
  readonly message: string
}

/** The field of a cap that the whole media buy has, as opposed to one of a package. */
export const CAP_OF_MEDIA_BUY = 'daily_budget_cap of the media buy'

/** A limit by the day where nothing keeps one. */
export const UNCAPPED = ({ ownMicros }: DayLimits): Unkeepable => ({
  field: ownMicros === undefined ? CAP_OF_MEDIA_BUY : 'daily_budget_cap',
  message: 'a limit on what a day costs',
})

/** What an ad server cannot keep of a line. Empty: all of it. */
export function unkeepable(
  { price, pacing, targeting, dailyCap }: Pick<LineSettings, 'price' | 'pacing' | 'targeting' | 'dailyCap'>,
  capabilities: Pick<BackendCapabilities, 'pricing' | 'pacing' | 'targeting' | 'dailyCaps'>,
): readonly Unkeepable[] {
  const known: readonly string[] = capabilities.targeting
  const dimensions = Object.entries(targeting ?? {}).filter(([, value]) => value !== undefined && !isEmpty(value))
  return [
    ...(capabilities.pricing.includes(price.model)
      ? []
      : [{ field: 'pricing_option_id', message: `${price.model} pricing; it keeps ${listed(capabilities.pricing)}` }]),
    ...(capabilities.pacing.includes(pacing)
      ? []
      : [{ field: 'pacing', message: `${pacing} pacing; it keeps ${listed(capabilities.pacing)}` }]),
    ...(dailyCap && !capabilities.dailyCaps ? [UNCAPPED(dailyCap)] : []),
    ...dimensions
      .filter(([dimension]) => !known.includes(dimension))
      .map(([dimension]) => ({
        field: `targeting_overlay.${dimension}`,
        message: `targeting by ${dimension}; it keeps ${listed(known)}`,
      })),
  ]
}

/** What an ad server cannot do of a change of a media buy. `ids` are the packages that lie there. Empty: all of it. */
export function unchangeable(
  before: MediaBuy,
  after: MediaBuy,
  ids: ReadonlySet<string>,
  capabilities: Pick<BackendCapabilities, 'changesLines' | 'pauses' | 'ends'>,
): readonly Unkeepable[] {
  const pairs = after.packages.flatMap((pkg, index) => {
    const old = before.packages[index]
    return old && ids.has(pkg.packageId) ? [{ old, pkg }] : []
  })
  if (pairs.length === 0) return []
  const pauses = before.paused !== after.paused || pairs.some(({ old, pkg }) => old.paused !== pkg.paused)
  const ends =
    Boolean(after.cancellation && !before.cancellation) || pairs.some(({ old, pkg }) => pkg.cancellation && !old.cancellation)
  const changes = pairs.some(({ old, pkg }) => !sameValue(settingsOf(old), settingsOf(pkg)))
  return [
    ...(pauses && !capabilities.pauses ? [{ field: 'paused', message: 'a pause' }] : []),
    ...(ends && !capabilities.ends ? [{ field: 'canceled', message: 'an end before the flight is over' }] : []),
    ...(changes && !capabilities.changesLines
      ? [{ field: 'packages', message: 'another budget, flight, price or targeting' }]
      : []),
  ]
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function listed(values: readonly string[]): string {
  return values.length === 0 ? 'none' : values.join(', ')
}
