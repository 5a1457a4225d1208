import { activationMinutes, type Destination } from './destination.ts'
import type { Signal, SignalPrice, SignalType } from './signal.ts'

/** What signals have to be to be found (AdCP core/signal-filters.json). */
interface SignalFilters {
  readonly catalog_types?: readonly SignalType[]
  readonly data_providers?: readonly string[]
  readonly max_cpm?: number
  readonly max_percent?: number
  readonly min_coverage_percentage?: number
}

export interface SignalConditions {
  readonly filters: SignalFilters | undefined
  readonly countries: readonly string[] | undefined
  readonly destinations: readonly Destination[] | undefined
}

/** Whether a signal meets every condition of a request (AdCP core/signal-filters); `prices` are those of the asking account. */
export function meets(
  signal: Signal,
  prices: readonly SignalPrice[],
  { filters = {}, countries, destinations }: SignalConditions,
): boolean {
  const { document } = signal
  return (
    (filters.catalog_types?.includes(document.signal_type) ?? true) &&
    (filters.data_providers?.some((name) => isProvider(signal, name)) ?? true) &&
    document.coverage_percentage >= (filters.min_coverage_percentage ?? 0) &&
    isWithin(prices, 'cpm', filters.max_cpm) &&
    isWithin(prices, 'percent_of_media', filters.max_percent) &&
    (!countries || !document.countries || countries.some((country) => document.countries?.includes(country))) &&
    (destinations?.some((destination) => activationMinutes(signal, destination) !== undefined) ?? true)
  )
}

function isProvider({ providerName, providerDomain }: Signal, wanted: string): boolean {
  const name = wanted.trim().toLowerCase()
  return providerName.toLowerCase() === name || providerDomain?.toLowerCase() === name
}

/** A limit speaks of the prices of its model alone: a signal without one passes, one whose every such price is above it does not. */
function isWithin(prices: readonly SignalPrice[], model: 'cpm' | 'percent_of_media', limit: number | undefined): boolean {
  if (limit === undefined) return true
  const rates = prices.flatMap((price) => {
    if (price.model !== model) return []
    return [price.model === 'cpm' ? price.cpm : price.percent]
  })
  return rates.length === 0 || rates.some((rate) => rate <= limit)
}
