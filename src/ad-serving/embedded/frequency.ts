import type { TargetingOverlay } from '../../domain/product/targeting-overlay.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Cap } from './line.ts'

type FrequencyCap = NonNullable<TargetingOverlay['frequency_cap']>
type Duration = NonNullable<FrequencyCap['window']>

const UNIT_MS: Readonly<Record<string, number>> = {
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  weeks: 7 * 86_400_000,
}

const ALWAYS = Number.POSITIVE_INFINITY

/** What impressions are counted per (AdCP enums/reach-unit): the id that the publisher's pages give of a visitor. */
const COUNTED: readonly string[] = ['individuals', 'devices', 'cookies']

/** Throws UNSUPPORTED_FEATURE for a cap per something that has no id here, such as a household. */
export function requireCountable(cap: FrequencyCap | undefined): void {
  const { per } = cap ?? {}
  if (per === undefined || COUNTED.includes(per)) return
  throw new AdcpError(
    'UNSUPPORTED_FEATURE',
    `targeting_overlay.frequency_cap.per: ${per}; this ad server counts impressions of a visitor: send ${COUNTED.join(', ')}`,
    { field: 'targeting_overlay.frequency_cap.per' },
  )
}

/** The limits of AdCP core/frequency-cap.json as counts in rolling windows; a cooldown is one impression in its window, `campaign` the whole flight. */
export function capsOf({ suppress, suppress_minutes, max_impressions, window }: FrequencyCap): Cap[] {
  return [
    ...(suppress ? [{ most: 1, windowMs: durationMs(suppress) }] : []),
    ...(suppress_minutes ? [{ most: 1, windowMs: suppress_minutes * 60_000 }] : []),
    ...(max_impressions !== undefined && window ? [{ most: max_impressions, windowMs: durationMs(window) }] : []),
  ]
}

function durationMs({ interval, unit }: Duration): number | null {
  const unitMs = UNIT_MS[unit]
  return unitMs === undefined ? null : interval * unitMs
}

/** Whether one more impression keeps every limit, given the times (milliseconds) of those that the visitor has had. */
export function withinCaps(caps: readonly Cap[], exposures: readonly number[], now: number): boolean {
  return caps.every(({ most, windowMs }) => exposures.filter((at) => at > now - (windowMs ?? ALWAYS)).length < most)
}

/** How far back exposures count for any of the limits, in milliseconds; infinite for the whole flight. */
export function longestWindowMs(caps: readonly Cap[]): number {
  return Math.max(0, ...caps.map(({ windowMs }) => windowMs ?? ALWAYS))
}
