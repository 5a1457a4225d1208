import { AdcpError, Faults } from '../../protocol/errors.ts'
import { NameSearch, quoted } from '../../protocol/nearest-name.ts'
import type { Flight } from '../calendar/flight.ts'
import type { Declare } from '../creative/canonical/declaration.ts'
import { budgetToMicros, microsToAmount } from '../money.ts'
import { withLimit } from '../product/limited-plan.ts'
import type { KeepsTargeting } from '../product/overlay-support.ts'
import type { Product } from '../product/product.ts'
import type { Proposal } from '../product/proposal.ts'
import { proposalNotFound } from '../product/proposal-not-found.ts'
import { capMicros, withSharedCap } from './daily-cap.ts'
import { flightOf } from './flight.ts'
import type { MediaBuy, Package } from './media-buy.ts'
import { namedIn } from './media-buy-name.ts'
import type { OrderRequest, PackageRequest } from './order-request.ts'
import { checkPackage, planPackages } from './plan-packages.ts'
import { packagesOf } from './proposal.ts'
import { requireOneUnit } from './shared-bid.ts'
import { requireSize } from './size.ts'
import { requireSameCurrency } from './stated-currency.ts'

export interface CreateContext {
  readonly mediaBuyId: string
  readonly accountId: string
  readonly principalId: string
  /** Who acts, for the history: the agent's URL or name. */
  readonly actor: string
  readonly products: ReadonlyMap<string, Product>
  /** Declares the formats of the products. */
  readonly declare: Declare
  /** What the ad servers of the products keep of their targeting. */
  readonly keepsOf: KeepsTargeting
  /** The proposal of `proposal_id`; undefined when the caller was never given one of that id. */
  readonly proposal: Proposal | undefined
  /** Ids of proposals that are open for the caller, where it was not. */
  readonly openProposals?: readonly string[]
  readonly now: Date
  /** The publisher's (IANA). */
  readonly timeZone: string
}

/** Product ids that a request needs, proposal included. */
export function productIdsOf(request: OrderRequest, proposal: Proposal | undefined): string[] {
  const ids = request.packages?.map((pkg) => pkg.product_id) ?? proposal?.allocations.map((share) => share.product_id) ?? []
  return [...new Set(ids)]
}

/**
 * Plans a media buy: every rule of create_media_buy that needs no other system. The result is not booked (`orderId` and line ids
 * are empty). Throws all that is wrong with dates, proposal and packages, under the code of the first, else what is wrong with the total.
 */
export function planMediaBuy(request: OrderRequest, context: CreateContext): MediaBuy {
  const { products, declare, keepsOf, principalId, now, timeZone, mediaBuyId } = context
  const plan = {
    products,
    declare,
    keepsOf,
    names: new NameSearch(),
    principalId,
    bidding: request.bidding,
    now,
    timeZone,
    field: 'packages',
    packageId: (index: number) => packageIdOf(mediaBuyId, index),
  } as const
  const faults = new Faults()
  const flight = faults.attempt(() => flightOf(request.start_time, request.end_time, now))
  const requests = faults.attempt(() => packageRequests(request, flight, context)) ?? []
  if (!flight)
    for (const [index, each] of requests.entries()) faults.attempt(() => checkPackage(each, `packages[${index}]`, plan))
  faults.settle()
  if (!flight) throw new Error('a media buy without a flight was let through')
  const planned = planPackages(requests, { ...plan, flight })
  requireOneUnit(planned, request.bidding)
  const currency = planned[0]?.pricing.currency ?? ''
  const cap = capMicros(request.daily_budget_cap, currency, 'daily_budget_cap')
  const packages = withSharedCap(planned, cap)
  requireSameCurrency(request, currency, {
    priced: 'the packages are',
    instead: () => 'leave it out, or choose pricing options in the other',
  })
  requireWithinTotal(request, packages, currency)
  const assembled = assemble(request, context, flight, packages, currency)
  const buy = cap === undefined ? assembled : { ...assembled, dailyCapMicros: cap }
  requireSize(buy, 'packages')
  return buy
}

/** Each package is a line in the ad server and a row of inventory for each day of its flight. */
export const MAX_PACKAGES = 200

/** Package ids extend the id of their buy, so a replayed plan gives the same ones. */
export function packageIdOf(mediaBuyId: string, index: number): string {
  return `${mediaBuyId}-${index + 1}`
}

function packageRequests(request: OrderRequest, flight: Flight | undefined, context: CreateContext): readonly PackageRequest[] {
  if (request.proposal_id === undefined) {
    if (request.packages && request.packages.length > 0) return request.packages
    throw new AdcpError(
      'INVALID_REQUEST',
      'packages (a list of {product_id, pricing_option_id, budget}) or proposal_id is required',
      { field: 'packages' },
    )
  }
  const { proposal } = context
  if (!proposal) throw proposalNotFound(request.proposal_id, 'proposal_id', context.openProposals ?? [])
  const derived = packagesOf(proposal, request, { ...context, flight: flight && { ...flight, timeZone: context.timeZone } })
  return request.packages?.map((pkg) => withLimit(pkg, proposal, context.products.get(pkg.product_id))) ?? derived
}

function requireWithinTotal(request: OrderRequest, packages: readonly Package[], currency: string): void {
  const { total_budget: total } = request
  if (!total) return
  if (total.currency !== currency) {
    throw new AdcpError(
      'INVALID_REQUEST',
      `total_budget.currency must be ${currency}, the currency of the packages, not ${quoted(total.currency)}`,
      {
        field: 'total_budget.currency',
      },
    )
  }
  const limit = budgetToMicros(total.amount, total.currency, 'total_budget.amount')
  const sum = packages.reduce((micros, pkg) => micros + pkg.terms.budgetMicros, 0)
  if (sum <= limit) return
  const amounts = `${microsToAmount(sum)} ${currency}, more than total_budget of ${total.amount}`
  throw new AdcpError(
    'BUDGET_EXCEEDED',
    `the budgets of the packages add up to ${amounts}: lower them or raise total_budget.amount`,
    {
      field: 'total_budget.amount',
      details: { total_budget: total.amount, packages_budget: microsToAmount(sum), currency },
    },
  )
}

/** Whether the media buy starts paused (AdCP 3.1 create_media_buy; the schema of 3.0 does not know the member, so its form is checked here). */
function isPaused(request: OrderRequest & { readonly paused?: unknown }): boolean {
  const { paused = false } = request
  if (typeof paused === 'boolean') return paused
  throw new AdcpError('INVALID_REQUEST', `paused must be true or false, not ${JSON.stringify(paused).slice(0, 40)}`, {
    field: 'paused',
  })
}

function assemble(
  request: OrderRequest,
  { mediaBuyId, accountId, actor, now }: CreateContext,
  flight: Flight,
  packages: Package[],
  currency: string,
): MediaBuy {
  const at = now.toISOString()
  const paused = isPaused(request)
  return {
    mediaBuyId,
    accountId,
    revision: 1,
    currency,
    ...flight,
    orderId: '',
    createdAt: at,
    confirmedAt: at,
    updatedAt: at,
    paused,
    packages: paused ? packages.map((pkg) => ({ ...pkg, terms: { ...pkg.terms, running: false } })) : packages,
    history: [
      {
        revision: 1,
        at,
        actor,
        action: 'created',
        summary: `Created with ${packages.length} package${packages.length === 1 ? '' : 's'}${paused ? ', paused' : ''}`,
      },
    ],
    brand: request.brand,
    ...namedIn(request),
    ...(request.bidding && { bidding: request.bidding }),
    ...(request.proposal_id !== undefined && { proposalId: request.proposal_id }),
    ...(request.plan_id !== undefined && { planId: request.plan_id }),
    ...(request.po_number !== undefined && { poNumber: request.po_number }),
    ...(request.agency_estimate_number !== undefined && { agencyEstimateNumber: request.agency_estimate_number }),
    ...(request.advertiser_industry !== undefined && { advertiserIndustry: request.advertiser_industry }),
    ...(request.invoice_recipient && { invoiceRecipient: withoutBank(request.invoice_recipient) }),
    ...(request.io_acceptance && { ioAcceptance: request.io_acceptance }),
    ...(request.ext && { ext: request.ext }),
    ...(request.context && { context: request.context }),
  }
}

/** Bank details of an invoice recipient are for the billing system only: they are neither stored here nor shown (core/business-entity.json). */
export function withoutBank<E extends { bank?: unknown }>(entity: E): Omit<E, 'bank'> {
  const { bank: _bank, ...rest } = entity
  return rest
}

/** Products of packages that are marked as sold by hand. */
export function manualProducts(
  packages: readonly { readonly productId: string }[],
  products: ReadonlyMap<string, Product>,
): string[] {
  return packages.map(({ productId }) => productId).filter((id) => products.get(id)?.selling.approval === 'manual')
}

/** Sum of the budgets of the packages that are not canceled. */
export function totalBudgetMicros(buy: Pick<MediaBuy, 'packages'>): number {
  return buy.packages.reduce((micros, pkg) => micros + (pkg.cancellation ? 0 : pkg.terms.budgetMicros), 0)
}
