import { TIME_UNITS, type TimeUnit } from '../calendar/time-units.ts'
import { money } from '../summary/summary-text.ts'
import type { PricingModel } from './pricing-option.ts'
import { durationWords } from './product.ts'
import { startDaysOf, startWords } from './season.ts'

/** What a price is told by, of any release. Major units of the currency. */
interface Priced {
  readonly currency: string
  readonly pricing_model?: unknown
  readonly fixed_price?: unknown
  readonly floor_price?: unknown
  readonly min_spend_per_package?: unknown
  readonly parameters?: unknown
  readonly ext?: unknown
}

/** What one price is for, in as few words as the trade has; `time` names its unit itself. */
const UNITS: { readonly [Model in Exclude<PricingModel, 'time'>]: string } = {
  cpm: 'CPM',
  vcpm: 'vCPM',
  cpc: 'CPC',
  cpcv: 'CPCV',
  cpv: 'CPV',
  cpp: 'CPP',
  cpa: 'CPA',
  flat_rate: 'flat',
}

/** The unit of a price, in words that follow its amount: `CPM`, `CPC`, `per day`, `flat`. `slotHours`: of a flat price that is paid for each slot of a flight. */
export function unitWords(
  model: PricingModel,
  { time, slotHours = 0 }: { readonly time?: string; readonly slotHours?: number } = {},
) {
  if (model === 'time') return `per ${time ?? 'unit of time'}`
  return model === 'flat_rate' && slotHours > 0 ? `per ${slotHours} hour${slotHours === 1 ? '' : 's'}` : UNITS[model]
}

function unitOf({ pricing_model: model, parameters }: Priced): string {
  const isKnown = (name: unknown): name is PricingModel =>
    name === 'time' || (typeof name === 'string' && Object.hasOwn(UNITS, name))
  if (!isKnown(model)) return ''
  const { time_unit: unit, duration_hours: hours } = membersOf(parameters)
  return ` ${unitWords(model, {
    ...(typeof unit === 'string' && { time: unit }),
    ...(typeof hours === 'number' && { slotHours: hours }),
  })}`
}

function membersOf(parameters: unknown): Readonly<Record<string, unknown>> {
  return typeof parameters === 'object' && parameters !== null ? { ...parameters } : {}
}

/** A price alone, with its unit: `12 USD CPM`, `bid from 3 USD CPC`, `4200 EUR per day (1 to 3 days)`; the currency where neither is known. */
export function amountWords(option: Priced): string {
  const { currency, pricing_model: model, fixed_price: fixed, floor_price: floor, parameters } = option
  const { time_unit: unit, min_duration: least = 1, max_duration: most } = membersOf(parameters)
  const isTimed = model === 'time' && typeof least === 'number' && typeof most === 'number'
  const times = isTimed && isTimeUnit(unit) ? ` (${durationWords(unit, least, most)})` : ''
  if (typeof fixed === 'number') return `${money(fixed, currency)}${unitOf(option)}${times}`
  return typeof floor === 'number' ? `bid from ${money(floor, currency)}${unitOf(option)}` : currency
}

function isTimeUnit(unit: unknown): unit is TimeUnit {
  return TIME_UNITS.some((each) => each === unit)
}

/** A price with its id, in a few words: `cpm_usd_fixed 12 USD CPM (min 500)`, `cpc bid from 3 USD CPC`. */
export function priceWords(option: Priced & { readonly pricing_option_id: string }): string {
  const { pricing_option_id: id, min_spend_per_package: least } = option
  const days = startDaysOf(option)
  const starts = days ? ` for flights that start ${startWords(days)}` : ''
  return `${id} ${amountWords(option)}${typeof least === 'number' ? ` (min ${least})` : ''}${starts}`
}
