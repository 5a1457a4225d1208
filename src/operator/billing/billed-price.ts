import { unitsPerPrice } from '../../domain/ad-serving/charged.ts'
import { type BilledUnit, billedQuantity, billedUnit } from '../../domain/billing/billed-quantity.ts'
import type { BilledService } from '../../domain/billing/billing-lines.ts'
import { type FlatPrice, flatPart } from '../../domain/billing/flat-part.ts'
import type { LineFacts, RateBasis } from '../../domain/billing/invoice-document.ts'
import type { LocalCalendar } from '../../domain/calendar/local-time.ts'
import { minorUnitMicros, mulDiv } from '../../domain/money.ts'
import type { PricingModel } from '../../domain/product/pricing-option.ts'

/** How a line is priced. */
export interface PricedLine {
  readonly currency: string
  readonly model: PricingModel
  readonly rateMicros: number
  /** It is charged at what an auction clears at. */
  readonly isCleared?: boolean
  /** Of a line whose flight has a price. */
  readonly flat?: FlatPrice | undefined
}

/** What a service counts for money, and how much of it. */
export function billedUnits({ impressions, counts }: BilledService, line: PricedLine | undefined) {
  const unit = line ? billedUnit(line.model) : 'fee'
  return { unit, quantity: counts ? billedQuantity(unit, counts) : unit === 'impressions' ? impressions : undefined }
}

/** Whether a service costs less than its quantity at the agreed rate. */
export function costsLess(service: BilledService, line: PricedLine | undefined): boolean {
  const { quantity } = billedUnits(service, line)
  if (quantity === undefined || !line) return false
  return (quantity * line.rateMicros) / unitsPerPrice(line.model) > service.amountMicros + minorUnitMicros(line.currency) / 2
}

/** The quantity and the rate of an amount: the agreed rate where it gives the amount as it is payable, else the average. `isSpent`: the budget of the line was spent in that month, or before; `calendar`: that of the publisher. */
export function priced(
  unit: BilledUnit,
  quantity: number | undefined,
  amountMicros: number,
  line: PricedLine | undefined,
  { isSpent, calendar }: { readonly isSpent: boolean; readonly calendar: LocalCalendar },
): Pick<LineFacts, 'unit' | 'quantity' | 'per' | 'rateMicros' | 'rateBasis'> {
  if (unit === 'fee' && line?.flat) {
    const part = flatPart(amountMicros, line.flat, calendar)
    return part ? { ...part, rateBasis: agreedBasis(part, amountMicros) } : { unit, per: 1 }
  }
  if (quantity === undefined || quantity === 0 || !line) return { unit, per: 1 }
  const per = unitsPerPrice(line.model)
  const { rateMicros, currency } = line
  const isAgreed = Math.abs((quantity * rateMicros) / per - amountMicros) <= minorUnitMicros(currency) / 2
  if (isAgreed) return { unit, quantity, per, rateMicros, rateBasis: agreedBasis({ quantity, rateMicros, per }, amountMicros) }
  const rateBasis = isSpent ? 'budget_average' : line.isCleared ? 'clearing_average' : 'average'
  return { unit, quantity, per, rateMicros: Math.round((amountMicros * per) / quantity), rateBasis }
}

/** Whether a quantity costs an amount, cut to the micro, at the agreed rate, or the amount is a sum of days, or of their corrections. Parts of days and hours have a quantity that was rounded. */
function agreedBasis(
  { quantity, rateMicros, per }: { readonly quantity: number; readonly rateMicros: number; readonly per: number },
  amountMicros: number,
): RateBasis {
  const isExact = [quantity, rateMicros, per].every(Number.isSafeInteger)
    ? mulDiv(Math.abs(quantity), rateMicros, per) === Math.abs(amountMicros)
    : Math.abs((quantity * rateMicros) / per - amountMicros) < 1
  return isExact ? 'agreed' : 'sum_of_days'
}
