import { AdcpError } from '../../protocol/errors.ts'
import { DAY_MS } from '../calendar/instant.ts'
import {
  type BrandClaims,
  type ClaimType,
  claimTypesOf,
  type ParentClaim,
  type PropertyClaim,
  type SubsidiaryClaim,
  type TrademarkClaim,
  type VerificationStatus,
} from './claims.ts'

/** One question (AdCP brand/verify-brand-claim-request.json). */
export type ClaimQuestion =
  | {
      readonly claim_type: 'subsidiary'
      readonly claim: { readonly subsidiary_domain: string; readonly subsidiary_brand_id?: string }
    }
  | { readonly claim_type: 'parent'; readonly claim: { readonly parent_domain: string } }
  | {
      readonly claim_type: 'property'
      readonly claim: {
        readonly property: {
          readonly type: string
          readonly identifier: string
          readonly store?: string
          readonly region?: string
        }
        readonly use_case?: string
      }
    }
  | {
      readonly claim_type: 'trademark'
      readonly claim: {
        readonly mark: string
        readonly registry?: string
        readonly number?: string
        readonly countries?: readonly string[]
        readonly use_case?: string
      }
    }

/** One answer (AdCP brand/verify-brand-claim-response.json, without its signature). */
export interface ClaimAnswer {
  readonly claim_type: ClaimType
  readonly verification_status: VerificationStatus
  readonly details?: Readonly<Record<string, unknown>>
  readonly context_note?: string
}

export interface ClaimView {
  /** Whether the caller has an account: it then sees what is for such callers only. */
  readonly linked: boolean
  readonly now: Date
}

/**
 * What a house says of a claim. What no list has is `not_ours` where the list is complete, else `unknown`: a rejection counts without any other evidence,
 * so it is given only where the house said that it may be. Throws UNSUPPORTED_CLAIM_TYPE, and AMBIGUOUS_MATCH where several registrations fit.
 */
export function judgeClaim(claims: BrandClaims, question: ClaimQuestion, view: ClaimView): ClaimAnswer {
  const supported = claimTypesOf(claims)
  const { claim_type } = question
  if (!supported.includes(claim_type)) {
    throw new AdcpError(
      'UNSUPPORTED_CLAIM_TYPE',
      `claims of the type ${claim_type} are not answered here; ask for ${supported.join(', ')}`,
      {
        field: 'claim_type',
      },
    )
  }
  const found = findEntry(claims, question)
  if (!found) return { claim_type, verification_status: claims.complete?.includes(claim_type) ? 'not_ours' : 'unknown' }
  const status = statusNow(found.entry, view.now)
  const details = withoutUndefined(detailsOf(found, status, view))
  return {
    claim_type,
    verification_status: status,
    ...(Object.keys(details).length > 0 && { details }),
    ...(found.entry.note !== undefined && { context_note: found.entry.note }),
  }
}

type Found =
  | { readonly type: 'subsidiary'; readonly entry: SubsidiaryClaim }
  | { readonly type: 'parent'; readonly entry: ParentClaim }
  | { readonly type: 'property'; readonly entry: PropertyClaim }
  | { readonly type: 'trademark'; readonly entry: TrademarkClaim }

function findEntry(claims: BrandClaims, question: ClaimQuestion): Found | undefined {
  switch (question.claim_type) {
    case 'subsidiary': {
      const { subsidiary_domain: domain, subsidiary_brand_id: id } = question.claim
      const isIt = (one: SubsidiaryClaim) =>
        same(one.domain, domain) && (id === undefined || one.brand_id === undefined || one.brand_id === id)
      const entry = claims.subsidiaries?.find(isIt)
      return entry && { type: 'subsidiary', entry }
    }
    case 'parent': {
      const entry = claims.parents?.find(({ domain }) => same(domain, question.claim.parent_domain))
      return entry && { type: 'parent', entry }
    }
    case 'property': {
      const entry = findProperty(claims.properties ?? [], question.claim.property)
      return entry && { type: 'property', entry }
    }
    case 'trademark': {
      const entry = findTrademark(claims.trademarks ?? [], question.claim)
      return entry && { type: 'trademark', entry }
    }
  }
}

type PropertyAsk = Extract<ClaimQuestion, { claim_type: 'property' }>['claim']['property']

function findProperty(properties: readonly PropertyClaim[], ask: PropertyAsk): PropertyClaim | undefined {
  const named = properties.filter(
    ({ type, identifier, store }) =>
      type === ask.type &&
      same(identifier, ask.identifier) &&
      (ask.store === undefined || store === undefined || store === ask.store),
  )
  const covers = ({ regions }: PropertyClaim) => !regions || regions.includes('global') || regions.includes(ask.region ?? '')
  return ask.region === undefined || ask.region === 'global' ? named[0] : named.find(covers)
}

type MarkAsk = Extract<ClaimQuestion, { claim_type: 'trademark' }>['claim']

function findTrademark(trademarks: readonly TrademarkClaim[], ask: MarkAsk): TrademarkClaim | undefined {
  const [entry, ...others] = trademarks.filter(
    ({ mark, registry, number, countries }) =>
      same(mark, ask.mark) &&
      (ask.registry === undefined || same(registry, ask.registry)) &&
      (ask.number === undefined || number === ask.number) &&
      (ask.countries === undefined || !countries || ask.countries.some((country) => countries.includes(country))),
  )
  if (others.length > 0) {
    throw new AdcpError(
      'AMBIGUOUS_MATCH',
      `${others.length + 1} registrations of this mark fit; add registry, number or countries`,
      {
        field: 'claim',
      },
    )
  }
  return entry
}

/** A review that is not over in its window is an `unknown` (AdCP verify_brand_claim, `expected_resolution_window_days`). */
function statusNow(entry: Found['entry'], now: Date): VerificationStatus {
  const { status = 'owned' } = entry
  if (status !== 'pending_review' || !('expected_resolution_window_days' in entry)) return status
  const { first_observed_at: since = '', expected_resolution_window_days: days = 0 } = entry
  return Date.parse(since) + days * DAY_MS <= now.getTime() ? 'unknown' : status
}

function detailsOf({ type, entry }: Found, status: VerificationStatus, { linked }: ClaimView): Readonly<Record<string, unknown>> {
  const isOneOf = (...statuses: readonly VerificationStatus[]) => statuses.includes(status)
  switch (type) {
    case 'subsidiary':
      return {
        brand_id: isOneOf('owned', 'pending_review', 'transferring') ? entry.brand_id : undefined,
        ...(linked && { first_observed_by_house_at: entry.first_observed_at }),
        // A review always says how long it may take.
        ...((linked || status === 'pending_review') && {
          expected_resolution_window_days: status === 'unknown' ? undefined : entry.expected_resolution_window_days,
        }),
      }
    case 'parent':
      return {
        house_domain: isOneOf('owned', 'transferring') ? entry.domain : undefined,
        ...(linked && { first_observed_by_leaf_at: entry.first_observed_at }),
        expected_resolution_window_days: status === 'pending_review' ? entry.expected_resolution_window_days : undefined,
      }
    case 'property': {
      const isOurs = isOneOf('owned', 'transferring')
      return {
        relationship: isOurs ? (entry.relationship ?? 'owned') : undefined,
        brand_id: isOurs ? entry.brand_id : undefined,
        regions: isOurs ? (entry.regions ?? ['global']) : undefined,
        ...(linked && { use_case_authorization: entry.use_cases }),
      }
    }
    case 'trademark': {
      const { registry, number, mark, registration_status } = entry
      const isMatched = isOneOf('owned', 'licensed_in', 'licensed_out', 'transferring')
      return {
        matched_registration: isMatched ? withoutUndefined({ registry, number, mark, registration_status }) : undefined,
        licensor_domain: status === 'licensed_in' ? entry.licensor_domain : undefined,
        countries: entry.countries,
        nice_classes: entry.nice_classes,
        ...(linked && { use_case_authorization: entry.use_cases }),
      }
    }
  }
}

/** Domains, names of marks and of registries have no case. */
function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

function withoutUndefined(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
}

const HOUR_SECONDS = 3600
/** How long an answer may be relied on (AdCP verify_brand_claim, "Caching"). */
const LIFETIME_SECONDS: Readonly<Record<VerificationStatus, number>> = {
  owned: 24 * HOUR_SECONDS,
  not_ours: 24 * HOUR_SECONDS,
  disputed: 24 * HOUR_SECONDS,
  archived: 24 * HOUR_SECONDS,
  licensed_in: 24 * HOUR_SECONDS,
  licensed_out: 24 * HOUR_SECONDS,
  transferring: 4 * HOUR_SECONDS,
  pending_review: HOUR_SECONDS,
  unknown: HOUR_SECONDS,
}

/** For how many seconds answers hold together: as long as the one that ends first. What says what may be used a mark for is asked each session. */
export function lifetimeSeconds(answers: readonly Pick<ClaimAnswer, 'verification_status' | 'details'>[]): number {
  const each = answers.map(({ verification_status: status, details }) =>
    details && 'use_case_authorization' in details ? HOUR_SECONDS : LIFETIME_SECONDS[status],
  )
  return Math.min(...each, 24 * HOUR_SECONDS)
}
