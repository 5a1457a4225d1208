import { AdcpError } from '../../protocol/errors.ts'
import type { RightsOffering } from '../brand/brands-file.ts'
import { priceOf } from './acquire.ts'
import { isAvailableIn, refusalOfOthers } from './clearance.ts'
import { includedImpressions } from './commitment.ts'
import { type GrantAgreement, grantStatus, type RightsGrant } from './grant.ts'

export interface UpdateFacts {
  /** The offering as it is today; undefined when it is no longer offered. */
  readonly offering: RightsOffering | undefined
  /** Agreements of others in force. */
  readonly others: readonly GrantAgreement[]
  /** Impressions that were reported so far. */
  readonly deliveredImpressions: number
  readonly now: Date
}

export interface Revision {
  readonly agreement: GrantAgreement
  readonly paused: boolean
  /** Whether the buyer gets more than was agreed: a new price, or more time or impressions. */
  readonly extends: boolean
}

/** What changes of a grant. */
interface Change {
  readonly end_date?: string
  readonly impression_cap?: number
  readonly pricing_option_id?: string
  readonly paused?: boolean
}

/** What a change makes of a grant. Throws INVALID_STATE for a grant that is over, INVALID_REQUEST naming what cannot be. */
export function reviseGrant(grant: RightsGrant, change: Change, facts: UpdateFacts): Revision {
  const status = grantStatus(grant, facts.now)
  if (status === 'revoked' || status === 'expired')
    throw new AdcpError('INVALID_STATE', `the grant is ${status}`, { field: 'rights_id', suggestion: 'acquire the right again' })
  const repriced = newPrice(grant.agreement, change, facts)
  const dated = newEnd(repriced, change, facts)
  const agreement = newCap(dated, change, facts)
  return {
    agreement,
    paused: change.paused ?? grant.paused,
    extends:
      agreement.price.pricing_option_id !== grant.agreement.price.pricing_option_id ||
      agreement.endDate !== grant.agreement.endDate ||
      (agreement.impressionCap ?? Number.POSITIVE_INFINITY) > (grant.agreement.impressionCap ?? Number.POSITIVE_INFINITY),
  }
}

function newEnd(agreement: GrantAgreement, { end_date: end }: Change, facts: UpdateFacts): GrantAgreement {
  if (end === undefined || end === agreement.endDate) return agreement
  if (agreement.endDate === undefined) throw invalid('end_date', 'the grant has no last day that could move')
  if (end < agreement.endDate) throw invalid('end_date', `end_date cannot be before the ${agreement.endDate} that was agreed`)
  if (!facts.offering) throw invalid('end_date', 'the right is no longer offered; the grant keeps its last day')
  const extended = { ...agreement, endDate: end }
  requireFree(extended, facts.offering, facts, 'end_date')
  return extended
}

function newPrice(agreement: GrantAgreement, { pricing_option_id: id }: Change, facts: UpdateFacts): GrantAgreement {
  if (id === undefined || id === agreement.price.pricing_option_id) return agreement
  const { offering } = facts
  if (!offering) throw invalid('pricing_option_id', 'the right is no longer offered')
  const price = priceOf(offering, id)
  const uncovered = agreement.uses.filter((use) => !price.uses.includes(use))
  if (uncovered.length > 0) throw invalid('pricing_option_id', `the option does not cover ${uncovered.join(', ')}`)
  const closed = (agreement.countries ?? []).filter((country) => !isAvailableIn(offering, country))
  if (closed.length > 0) throw invalid('pricing_option_id', `the right is no longer available in ${closed.join(', ')}`)
  if (price.currency !== agreement.price.currency) throw invalid('pricing_option_id', 'the option has another currency')
  const { impressionCap: _cap, ...kept } = agreement
  const repriced = { ...kept, price, ...(price.impression_cap !== undefined && { impressionCap: price.impression_cap }) }
  requireFree(repriced, offering, facts, 'pricing_option_id')
  return repriced
}

function newCap(
  agreement: GrantAgreement,
  { impression_cap: cap }: Change,
  { deliveredImpressions }: UpdateFacts,
): GrantAgreement {
  if (cap === undefined) return agreement
  if (cap < deliveredImpressions)
    throw invalid('impression_cap', `impression_cap cannot be below the ${deliveredImpressions} impressions that were delivered`)
  const included = includedImpressions(agreement)
  if (included !== undefined && cap > included) {
    const { pricing_option_id: option } = agreement.price
    const message = `impression_cap cannot be above the ${included} impressions that the price of ${option} includes until the end of the grant`
    throw new AdcpError('INVALID_REQUEST', message, {
      field: 'impression_cap',
      suggestion: 'send a later end_date with it, or another pricing_option_id of get_rights',
    })
  }
  return { ...agreement, impressionCap: cap }
}

function requireFree(agreement: GrantAgreement, offering: RightsOffering, { others }: UpdateFacts, field: string): void {
  const { uses, countries, startDate, endDate, price } = agreement
  const wanted = { uses, countries, startDate, endDate, exclusive: price.exclusive === true }
  const refusal = refusalOfOthers(offering, wanted, others)
  if (refusal)
    throw new AdcpError('INVALID_REQUEST', refusal.reason, { field, suggestion: refusal.suggestions?.join('; ') ?? '' })
}

function invalid(field: string, message: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', message, { field })
}
