import { AdcpError } from '../../protocol/errors.ts'
import { quoted } from '../../protocol/nearest-name.ts'
import type { Flight } from '../calendar/flight.ts'
import type { PricingOption } from '../product/pricing-option.ts'
import type { Product } from '../product/product.ts'
import { mayStart, optionStarting, startDay, startDaysOf, startWords } from '../product/season.ts'
import type { Package } from './media-buy.ts'

/** A price of a season is for flights that start in it, and the listed one for those that start outside. Throws INVALID_REQUEST naming the pricing option of the package at `path`. */
export function requireSeason({ offer }: Product, option: PricingOption, flight: Flight, path: string): void {
  const [days, day] = [startDaysOf(option), startDay(flight)]
  if (days === undefined || mayStart(days, day)) return
  const field = `${path}.pricing_option_id`
  const other = optionStarting(offer.pricing_options, option, day)
  const message = `${field} ${quoted(option.pricing_option_id)} is the price of flights that start ${startWords(days)} (UTC); this one starts on ${day}`
  throw new AdcpError('INVALID_REQUEST', message, {
    field,
    ...(other && { suggestion: `send ${other.pricing_option_id}, which is ${other.fixed_price} ${other.currency}` }),
    details: { start_date: day, ...(other && { pricing_option_ids: [other.pricing_option_id] }) },
  })
}

/**
 * A price of a season is for flights that start in it, and the listed one for those that start outside. `after` are the packages of `before`, in their order. Throws INVALID_REQUEST naming the start of
 * the package that would move over the edge.
 */
export function requireSameSeasons(before: readonly Package[], after: readonly Package[]): void {
  for (const [index, { packageId, pricing, terms }] of before.entries()) {
    const { startDays } = pricing
    const day = startDay(after[index]?.terms ?? terms)
    if (startDays === undefined || day === startDay(terms) || mayStart(startDays, day)) continue
    const message = `package ${packageId} has a price of flights that start ${startWords(startDays)} (UTC): it cannot start on ${day}`
    throw new AdcpError('INVALID_REQUEST', message, {
      field: 'start_time',
      suggestion: 'cancel the package, and order the other days as a package of its own (new_packages), at their price',
    })
  }
}
