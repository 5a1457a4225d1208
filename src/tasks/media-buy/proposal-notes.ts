import type { AskedDays } from '../../domain/product/asked-days.ts'
import { readBrief } from '../../domain/product/brief.ts'
import { hintsOf } from '../../domain/product/brief-hints.ts'
import { shareNotes } from '../../domain/product/brief-shares.ts'
import { unclearDates } from '../../domain/product/figure-dates.ts'
import { areKeptOutOf, carriedByAll } from '../../domain/product/limited-plan.ts'
import { orderTermsIn, orderTermsNotes } from '../../domain/product/order-terms.ts'
import { takesOf } from '../../domain/product/overlay-support.ts'
import { proposedProducts } from '../../domain/product/proposed-products.ts'
import { moneyNotes, widerNotes } from '../../domain/product/unreached.ts'
import { unreadPlaceNotes } from '../../domain/product/unread-places.ts'
import type { Snapshot } from '../../domain/proposal/negotiated.ts'
import type { Planning } from './proposal-planning.ts'

/** How the days of the drafts came about, where the request did not state them. */
export function flightNotes(days: AskedDays | undefined, [first]: readonly Snapshot[]): string[] {
  if (days?.source === 'filters' || !first) return []
  const { start_time: start, end_time: end } = first.negotiated.terms
  const where = 'criteria.offer_filters.start_date and end_date set others'
  if (days && !days.isOver) return [`Days read from the brief: ${start} to ${end}; ${where}.`]
  return [`No days were given: the flight from ${start} to ${end} is assumed; ${where}.`]
}

/** What the brief wants of the order and no proposal has; its days are said apart. */
export function termsNotes(
  brief = '',
  { offered, terms: { keepsOf } }: Pick<Planning, 'offered' | 'terms'>,
  snapshots: readonly Snapshot[],
): string[] {
  const proposals = snapshots.map(({ proposal }) => proposal)
  const carried = carriedByAll(proposals)
  const terms = orderTermsIn(brief).filter((term) => term !== 'dates' && (term !== 'frequency cap' || !carried.frequency_cap))
  const hints = hintsOf(brief)
  const { countriesNot: not = [], regionsAlone, regionsNot, unreadPlaces } = hints
  const products = proposedProducts(proposals, offered, undefined)
  const places = { not, isKeptOut: areKeptOutOf(not, proposals), regionsAlone, regionsNot }
  const takes = takesOf(keepsOf)
  const notes = [
    ...widerNotes(hints, { shown: products, takes }),
    ...orderTermsNotes(terms, products, takes, { ...places, carried }),
  ]
  const money = moneyNotes({ hints: readBrief(brief).hints }, 'criteria.offer_filters')
  return [
    ...unclearDates(hints.unclearDates),
    ...unreadPlaceNotes(unreadPlaces),
    ...money,
    ...shareNotes(brief, 'refine_proposals'),
    ...notes,
  ]
}
