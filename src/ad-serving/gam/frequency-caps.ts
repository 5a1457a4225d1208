import type { TargetingOverlay } from '../../domain/product/targeting-overlay.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Message } from './client.ts'

type FrequencyCap = NonNullable<TargetingOverlay['frequency_cap']>
type Duration = NonNullable<FrequencyCap['window']>

/** Units of the API (TimeUnitEnum); it has no seconds. */
const UNITS: Readonly<Record<string, string>> = {
  minutes: 'MINUTE',
  hours: 'HOUR',
  days: 'DAY',
  weeks: 'WEEK',
  campaign: 'LIFETIME',
}

/**
 * `frequencyCaps` of a line item for AdCP core/frequency-cap.json; a cooldown is one impression in its window. Throws AdcpError for what the API cannot
 * count: windows in seconds, and caps of people, households or accounts.
 */
export function gamFrequencyCaps(cap: FrequencyCap | undefined): readonly Message[] {
  if (cap === undefined) return []
  const { suppress, suppress_minutes, max_impressions, window, per } = cap
  if (per !== undefined && per !== 'devices' && per !== 'cookies')
    throw new AdcpError(
      'UNSUPPORTED_FEATURE',
      `targeting_overlay.frequency_cap.per: ${per}; Google Ad Manager counts devices and cookies`,
    )
  return [
    ...(suppress ? [capOf(1, suppress)] : []),
    ...(suppress_minutes ? [capOf(1, { interval: suppress_minutes, unit: 'minutes' })] : []),
    ...(max_impressions !== undefined && window ? [capOf(max_impressions, window)] : []),
  ]
}

function capOf(maxImpressions: number, { interval, unit }: Duration): Message {
  const timeUnit = UNITS[unit]
  if (timeUnit === undefined)
    throw new AdcpError(
      'UNSUPPORTED_FEATURE',
      `targeting_overlay.frequency_cap: a window in ${unit}; Google Ad Manager knows ${Object.keys(UNITS).join(', ')}`,
    )
  return { maxImpressions: String(maxImpressions), timeAmount: String(unit === 'campaign' ? 1 : interval), timeUnit }
}
