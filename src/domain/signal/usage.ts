import { hash } from 'node:crypto'
import { AdcpError } from '../../protocol/errors.ts'
import { instantOf } from '../calendar/instant.ts'
import { priceToMicros } from '../money.ts'
import { requireOrder } from '../order.ts'
import type { AccountName } from '../party.ts'
import { costOf, isCost, payable } from './prices.ts'
import type { SignalPrice } from './signal.ts'

/** What a buyer used of a service beside media, or counted of a media buy (AdCP account/report-usage-request.json). */
export interface ReportedUsage {
  readonly account: AccountName
  readonly media_buy_id?: string
  /** Major units of `currency`. */
  readonly vendor_cost: number
  readonly currency: string
  readonly pricing_option_id?: string
  readonly impressions?: number
  readonly media_spend?: number
  readonly signal_agent_segment_id?: string
  readonly standards_id?: string
  readonly rights_id?: string
  readonly creative_id?: string
  readonly property_list_id?: string
}

/** What a usage record can be of: the members of the wire that name it. */
const SUBJECTS = ['signal_agent_segment_id', 'creative_id', 'rights_id', 'standards_id', 'property_list_id'] as const
/** A record of none of them is of the media buy that it names: what the buyer counted of it. */
const MEDIA = 'media_buy_id'

/** The vendor service that was used. */
export interface UsageSubject {
  readonly kind: (typeof SUBJECTS)[number] | typeof MEDIA
  readonly id: string
}

/** A period of use, ISO 8601. */
export interface UsagePeriod {
  readonly start: string
  readonly end: string
}

/** A usage record that was found right. */
export interface UsageRecord {
  readonly fingerprint: string
  readonly document: object
  readonly costMicros: number
  readonly currency: string
  /** Day that the cost counts on: the last of the period, or that of the report when the period still runs. */
  readonly billedOn: string
  /** The grant of rights that was used. */
  readonly rightsId?: string | undefined
}

/**
 * The reported period. Throws INVALID_REQUEST when it is reversed, is no time, or has not begun; with `anyTime` (sandbox agents, whose fixtures
 * carry fixed dates) it may lie in the future.
 */
export function usagePeriod(
  { start, end }: UsagePeriod,
  { now, anyTime = false }: { readonly now: Date; readonly anyTime?: boolean },
): UsagePeriod {
  const [from, until] = [instantOf(start, 'reporting_period.start'), instantOf(end, 'reporting_period.end')]
  requireOrder({ value: from, field: 'reporting_period.start' }, { value: until, field: 'reporting_period.end' })
  if (from > now.getTime() && !anyTime) {
    throw new AdcpError('INVALID_REQUEST', `reporting_period.start is in the future; it is ${now.toISOString()} now`, {
      field: 'reporting_period.start',
    })
  }
  return { start: new Date(from).toISOString(), end: new Date(until).toISOString() }
}

/** What a record is of. Throws VALIDATION_ERROR unless it names one service. */
export function subjectOf(usage: ReportedUsage, path: string): UsageSubject {
  const named = SUBJECTS.flatMap((kind) => {
    const id = usage[kind]
    return id === undefined ? [] : [{ kind, id }]
  })
  const [subject, second] = named
  const { [MEDIA]: mediaBuyId } = usage
  if (!subject && mediaBuyId !== undefined) return { kind: MEDIA, id: mediaBuyId }
  if (!subject) {
    const field = `${path}.signal_agent_segment_id`
    throw new AdcpError('VALIDATION_ERROR', `${path} names nothing that was used: one of ${[...SUBJECTS, MEDIA].join(', ')}`, {
      field,
    })
  }
  if (second) {
    const field = `${path}.${second.kind}`
    throw new AdcpError('VALIDATION_ERROR', `${path} is of two things: report each in a record of its own`, { field })
  }
  return subject
}

/** What a record is held against. */
export interface UsageTerms {
  /** Prices of the service for this account. */
  readonly prices: readonly SignalPrice[]
  /** Price that the buyer committed to, which counts when the record names none. */
  readonly committed: string | undefined
}

/**
 * Checks a record against the price it names. Throws VALIDATION_ERROR naming the member that is wrong; a price that only people can compute is taken as stated.
 */
export function usageOf(
  usage: ReportedUsage,
  {
    subject,
    terms,
    period,
    now,
    path,
  }: {
    readonly subject: UsageSubject
    readonly terms: UsageTerms
    readonly period: UsagePeriod
    readonly now: Date
    readonly path: string
  },
): UsageRecord {
  const price = priceOf(usage, terms, path)
  const { currency } = usage
  if (price.currency !== undefined && price.currency !== currency) {
    throw refusal(`${path}.currency`, `must be ${price.currency}, as the price is`)
  }
  const costMicros = priceToMicros(usage.vendor_cost, `${path}.vendor_cost`)
  const mediaSpendMicros = usage.media_spend === undefined ? undefined : priceToMicros(usage.media_spend, `${path}.media_spend`)
  const cost = costOf(price, { impressions: usage.impressions, mediaSpendMicros })
  if (cost && 'missing' in cost) {
    throw refusal(
      `${path}.${cost.missing === 'impressions' ? 'impressions' : 'media_spend'}`,
      'is required to verify the cost by this price',
    )
  }
  if (cost && !isCost(costMicros, cost.micros, currency)) {
    throw refusal(`${path}.vendor_cost`, 'is not the amount that the price gives', {
      expected_cost: payable(cost.micros, currency),
      currency,
    })
  }
  const optionId = price.pricing_option_id
  const { media_buy_id } = usage
  return {
    fingerprint: hash(
      'sha256',
      JSON.stringify([subject.kind, subject.id, media_buy_id ?? null, optionId, period.start, period.end]),
    ),
    document: { ...withoutAccount(usage), pricing_option_id: optionId, period },
    rightsId: usage.rights_id,
    // Media is billed by what the seller delivered.
    costMicros: subject.kind === MEDIA ? 0 : costMicros,
    currency,
    billedOn: (period.end < now.toISOString() ? period.end : now.toISOString()).slice(0, 10),
  }
}

function priceOf(usage: ReportedUsage, { prices, committed }: UsageTerms, path: string): SignalPrice {
  const field = `${path}.pricing_option_id`
  const [only, another] = prices
  if (!only) {
    throw new AdcpError('UNSUPPORTED_FEATURE', `${field}: this service has no price here and is not billed by usage reports`, {
      field,
    })
  }
  const optionId = usage.pricing_option_id ?? committed ?? (another ? undefined : only.pricing_option_id)
  if (optionId === undefined) throw refusal(field, 'is required: there are several prices')
  const price = prices.find(({ pricing_option_id }) => pricing_option_id === optionId)
  if (!price) throw refusal(field, 'is not a price of this service')
  return price
}

/** The members of a record that are stored. */
function withoutAccount({ account: _account, ...usage }: ReportedUsage): object {
  const kept = [...SUBJECTS, MEDIA, 'vendor_cost', 'currency', 'impressions', 'media_spend'] as const
  return Object.fromEntries(kept.flatMap((name) => (usage[name] === undefined ? [] : [[name, usage[name]]])))
}

function refusal(field: string, what: string, details?: Readonly<Record<string, unknown>>): AdcpError {
  return new AdcpError('VALIDATION_ERROR', `${field} ${what}`, { field, ...(details && { details }) })
}
