import type { CheckGovernanceRequest } from '@adcp/sdk/types'
import type { GovernedAction } from '../../domain/governance/action.ts'
import { type ChannelShare, type PurchaseType, toMicros } from '../../domain/governance/plan.ts'
import { split } from '../../domain/money.ts'
import { ownValue } from '../../domain/own-value.ts'

/** A product as far as policies ask about it. */
export interface KnownProduct {
  readonly name: string
  readonly channels: readonly string[]
}

export interface ReadingContext {
  /** Products that this process knows; a governance agent elsewhere would ask the seller. */
  readonly products: ReadonlyMap<string, KnownProduct>
  readonly seller: string
}

const TYPE_OF_TOOL: Readonly<Record<string, PurchaseType>> = {
  acquire_rights: 'rights_license',
  update_rights: 'rights_license',
  activate_signal: 'signal_activation',
  build_creative: 'creative_services',
}

/** A policy's words are looked for in this much of a payload, characters. */
const MAX_WORDS = 20_000

type Fields = Readonly<Record<string, unknown>>

/** What a check is about, read from the arguments of a tool or from what the seller plans to deliver. */
export function readAction(request: CheckGovernanceRequest, context: ReadingContext): GovernedAction {
  const payload: Fields = request.payload === undefined ? {} : { ...request.payload }
  const planned = request.planned_delivery
  const packages = [payload.packages, payload.new_packages].flatMap(fieldsIn)
  const overlays = packages.map((pkg) => pkg.targeting_overlay).filter(isFields)
  const budget = [payload.total_budget, payload.budget].map(amountOf).find((each) => each !== undefined)
  const ofPackages = packages.map((pkg) => amountOf(pkg.budget)?.amount).filter((each) => each !== undefined)
  const amount = planned?.total_budget ?? budget?.amount ?? (ofPackages.length > 0 ? sum(ofPackages) : undefined)
  const currency = planned?.currency ?? budget?.currency ?? payload.currency
  return {
    checkType: checkTypeOf(request),
    phase: request.phase ?? 'purchase',
    tool: request.tool,
    purchaseType: purchaseTypeOf(request),
    caller: request.caller,
    seller: context.seller,
    amountMicros: amount === undefined ? undefined : toMicros(amount),
    currency: typeof currency === 'string' ? currency : undefined,
    startsAt: dateOf(planned?.start_time ?? payload.start_time),
    endsAt: dateOf(planned?.end_time ?? payload.end_time),
    countries: unique([...textsIn(planned?.geo?.countries), ...overlays.flatMap((each) => textsIn(each.geo_countries))]),
    regions: unique([...textsIn(planned?.geo?.regions), ...overlays.flatMap((each) => textsIn(each.geo_regions))]),
    channels: byChannel(planned?.channels ? evenly(planned.channels, amount) : channelsOf(packages, context)),
    audiences: audiencesOf(planned, overlays),
    reporting: reportingOf(payload.reporting_webhook),
    words: wordsOf(payload, packages, context),
    metrics: request.delivery_metrics,
    payload: request.payload ?? planned ?? request.delivery_metrics,
  }
}

/** Intent, execution, or only a question for the budget (AdCP check-governance-request.json). */
export function checkTypeOf({ tool, payload, planned_delivery, delivery_metrics }: CheckGovernanceRequest) {
  if (planned_delivery !== undefined || delivery_metrics !== undefined) return 'execution' as const
  return tool === undefined && payload === undefined ? ('availability' as const) : ('intent' as const)
}

export function purchaseTypeOf({ purchase_type, tool = '' }: CheckGovernanceRequest): PurchaseType {
  return purchase_type ?? ownValue(TYPE_OF_TOOL, tool) ?? 'media_buy'
}

/** Ids of the products that a payload orders. */
export function productIdsOf({ payload }: CheckGovernanceRequest): readonly string[] {
  const { packages, new_packages }: Fields = payload === undefined ? {} : { ...payload }
  return [packages, new_packages].flatMap(fieldsIn).flatMap(({ product_id: id }) => (typeof id === 'string' ? [id] : []))
}

/** Each package's money on its product's channels; unknown where the product is. */
function channelsOf(packages: readonly Fields[], { products }: ReadingContext): readonly ChannelShare[] {
  return packages.flatMap((pkg): readonly ChannelShare[] => {
    const known = typeof pkg.product_id === 'string' ? products.get(pkg.product_id) : undefined
    const amount = amountOf(pkg.budget)?.amount
    return known && known.channels.length > 0
      ? evenly(known.channels, amount)
      : [{ channel: undefined, micros: toMicros(amount ?? 0) }]
  })
}

/** Shares with one for each channel: an order may have thousands of packages. */
function byChannel(shares: readonly ChannelShare[]): readonly ChannelShare[] {
  const sums = new Map<string | undefined, number>()
  for (const { channel, micros } of shares) sums.set(channel, (sums.get(channel) ?? 0) + micros)
  return [...sums].map(([channel, micros]) => ({ channel, micros }))
}

/** An amount in equal shares that sum to it exactly; without an amount, the shares only say that the channels weigh the same. */
function evenly(channels: readonly string[], amount: number | undefined): readonly ChannelShare[] {
  if (channels.length === 0) return []
  const parts = split(
    toMicros(amount ?? channels.length),
    channels.map(() => 1),
  )
  return channels.map((channel, index) => ({ channel, micros: parts[index] ?? 0 }))
}

/** Structured targeting wins over its summary (AdCP core/planned-delivery.json, `audience_targeting`). */
function audiencesOf(planned: CheckGovernanceRequest['planned_delivery'], overlays: readonly Fields[]): readonly string[] {
  const structured = planned?.audience_targeting?.map((each) =>
    each.type === 'description'
      ? each.description
      : `${JSON.stringify(each.signal_id)} ${each.value_type === 'categorical' ? each.values.join(' ') : ''}`,
  )
  const said = structured ?? (planned?.audience_summary === undefined ? [] : [planned.audience_summary])
  return [...said, ...overlays.flatMap((each) => textsIn(each.audience_include))].map((each) => each.replaceAll('_', ' '))
}

function reportingOf(webhook: unknown): GovernedAction['reporting'] {
  const frequency = isFields(webhook) ? webhook.reporting_frequency : undefined
  return frequency === 'hourly' || frequency === 'daily' || frequency === 'monthly' ? frequency : undefined
}

function wordsOf(
  { idempotency_key: _key, context: _context, ...payload }: Fields,
  packages: readonly Fields[],
  { products }: ReadingContext,
) {
  const names = packages.map((pkg) => (typeof pkg.product_id === 'string' ? (products.get(pkg.product_id)?.name ?? '') : ''))
  return `${names.join(' ')} ${JSON.stringify(payload)}`.slice(0, MAX_WORDS).toLowerCase()
}

function amountOf(value: unknown): { readonly amount: number; readonly currency?: string } | undefined {
  if (typeof value === 'number') return { amount: value }
  if (!isFields(value)) return undefined
  const amount = value.amount ?? value.total
  if (typeof amount !== 'number') return undefined
  return { amount, ...(typeof value.currency === 'string' && { currency: value.currency }) }
}

/** A date that can be compared; `asap` and anything else is none. */
function dateOf(value: unknown): string | undefined {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined
}

function fieldsIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : []
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)]
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
