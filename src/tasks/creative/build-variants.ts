import { hash } from 'node:crypto'
import type { BuildPrice } from '../../domain/creative/prices.ts'
import { readConfig } from '../../domain/creative/transformers/standard-transformers.ts'
import { microsToAmount, priceToMicros } from '../../domain/money.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { AdcpError, toWireError, type WireError } from '../../protocol/errors.ts'
import { type BuildPlan, type Leaf, type PlannedGroup, planGroups } from './build-leaves.ts'
import { buildManifest, shownManifest } from './build-manifest.ts'
import type { Manifest } from './canonical-manifest.ts'
import { formatScopeOf } from './format-scope.ts'

interface BuiltLeaf extends Partial<BuildPrice> {
  readonly build_variant_id: string
  readonly recipe_hash: string
  readonly creative_manifest: Manifest
  readonly variant_axis_value?: string | number | boolean
  readonly recommended?: boolean
  readonly consumption?: { readonly renders: number }
}

interface BuiltGroup {
  readonly build_creative_id: string
  readonly catalog_item_ref?: object
  readonly variants?: readonly BuiltLeaf[]
  readonly errors?: readonly WireError[]
}

type BuildContext = AuthenticatedContext & { readonly anchor: string }

/**
 * Builds every variant of a request (AdCP 3.1, media-buy/build-creative-response.json, BuildCreativeVariantSuccess), up to `max_spend`. Where creatives
 * are made for items of a catalog, one that cannot be made has errors and the others stand. Throws BUDGET_CAP_REACHED when the first costs more than the cap.
 */
export async function buildVariants(plan: BuildPlan, context: BuildContext): Promise<object> {
  const { request, catalog } = plan
  const { groups, itemsTotal } = planGroups(plan, context.account !== undefined)
  const budget = budgetOf(plan, groups)
  const creatives: BuiltGroup[] = []
  for (const [index, group] of groups.entries()) {
    const affordable = group.leaves.filter(({ price }) => budget.take(price))
    if (affordable.length > 0) creatives.push(await buildGroup(plan, { ...group, leaves: affordable }, index, context))
    if (budget.capped) break
  }
  const leaves = creatives.flatMap(({ variants }) => variants ?? [])
  if (creatives.length === 0) throw capReached()
  return {
    creatives,
    ...(request.max_creatives !== undefined && catalog && { items_total: itemsTotal, items_returned: creatives.length }),
    leaves_total: groups.reduce((sum, group) => sum + group.leaves.length, 0),
    leaves_returned: leaves.length,
    ...totalOf(leaves),
    ...(request.keep_mode !== undefined && { keep_mode_applied: request.keep_mode }),
    budget_status: budget.capped ? 'capped' : 'complete',
    ...(budget.capped && { errors: [toWireError(capReached())] }),
    ...(context.principal.sandbox && { sandbox: true }),
  }
}

/** The cost of the builds of a request, which are not made (BuildCreativeEstimate). Prices are per build, so the estimate is exact. */
export function estimateBuild(plan: BuildPlan, context: BuildContext): object {
  const { groups, itemsTotal } = planGroups(plan, context.account !== undefined)
  const leaves = groups.flatMap((group) => group.leaves)
  const prices = leaves.flatMap(({ price }) => price ?? [])
  const cost = sumOf(prices)
  return {
    mode: 'estimate',
    estimate: {
      ...(plan.request.max_creatives !== undefined && { items_total: itemsTotal }),
      items_to_produce: groups.length,
      variants_per_item: plan.variations.length,
      leaves_total: leaves.length,
      currency: prices[0]?.currency ?? 'USD',
      cost_low: cost,
      cost_high: cost,
      basis:
        prices.length > 0 && cost === 0 && prices.some(({ pricing_option_id: id }) => id !== 'no_charge')
          ? 'cpm_deferred'
          : 'fixed',
    },
  }
}

/** Holds `max_spend` of a build that gives one answer for all formats against its price. Throws BUDGET_CAP_REACHED or INVALID_REQUEST. */
export function requireWithinSpend({ request }: Pick<BuildPlan, 'request'>, price: BuildPrice | undefined): void {
  const { max_spend: cap } = request
  if (!cap || !price) return
  requireCurrency(cap.currency, price.currency)
  if (price.vendor_cost > cap.amount) throw capReached()
}

function requireCurrency(sent: string, currency: string): void {
  if (sent === currency) return
  throw new AdcpError('INVALID_REQUEST', `max_spend.currency must be ${currency}, the currency of the prices`, {
    field: 'max_spend.currency',
  })
}

function capReached(): AdcpError {
  return new AdcpError('BUDGET_CAP_REACHED', 'the next build would cost more than max_spend leaves', {
    field: 'max_spend.amount',
    suggestion: 'raise max_spend, or ask for fewer creatives or variants',
  })
}

/** Counts what is spent; refuses everything from the first build on that goes beyond the cap. */
function budgetOf({ request: { max_spend: cap } }: BuildPlan, groups: readonly PlannedGroup[]) {
  const currency = groups.flatMap(({ leaves }) => leaves).find(({ price }) => price)?.price?.currency
  if (cap && currency !== undefined) requireCurrency(cap.currency, currency)
  const most = cap && priceToMicros(cap.amount, 'max_spend.amount')
  const state = { spent: 0, capped: false }
  return {
    get capped() {
      return state.capped
    },
    take(price: BuildPrice | undefined): boolean {
      const next = state.spent + (price ? priceToMicros(price.vendor_cost, 'unit_price') : 0)
      state.capped ||= most !== undefined && next > most
      if (!state.capped) state.spent = next
      return !state.capped
    },
  }
}

async function buildGroup(plan: BuildPlan, group: PlannedGroup, index: number, context: BuildContext): Promise<BuiltGroup> {
  const named = { build_creative_id: idOf('bc', context.anchor, index), ...(group.item && { catalog_item_ref: group.item }) }
  const variants: BuiltLeaf[] = []
  try {
    for (const [place, leaf] of group.leaves.entries()) {
      variants.push(
        await buildLeaf(plan, { group, leaf, id: idOf('bv', context.anchor, index, place), isFirst: place === 0 }, context),
      )
    }
    return { ...named, variants }
  } catch (error) {
    if (!group.item || !(error instanceof AdcpError)) throw error
    return { ...named, errors: [toWireError(error)] }
  }
}

interface LeafJob {
  readonly group: PlannedGroup
  readonly leaf: Leaf
  readonly id: string
  readonly isFirst: boolean
}

async function buildLeaf(plan: BuildPlan, { group, leaf, id, isFirst }: LeafJob, context: BuildContext): Promise<BuiltLeaf> {
  const { request, source, trafficking } = plan
  const { target, variation, price, recipe } = leaf
  const config = readConfig(variation.config)
  const { manifest } = await buildManifest(context, request, { source, target, catalog: group.catalog, trafficking, config })
  return {
    build_variant_id: id,
    recipe_hash: recipe,
    creative_manifest: shownManifest(manifest, target, await formatScopeOf(context)),
    ...(variation.axisValue !== undefined && { variant_axis_value: variation.axisValue }),
    // The first alternative is the one that changes nothing of what was asked for.
    ...(request.keep_mode !== undefined && request.keep_mode !== 'keep_all' && { recommended: isFirst }),
    ...(price && { ...price, consumption: { renders: 1 } }),
  }
}

/** Ids follow the call, so that a call that is run again gives the same. */
function idOf(kind: 'bc' | 'bv', anchor: string, ...place: readonly number[]): string {
  return `${kind}_${hash('sha256', [anchor, ...place].join('.'), 'hex').slice(0, 24)}`
}

function totalOf(leaves: readonly BuiltLeaf[]): { vendor_cost?: number; currency?: string } {
  const prices = leaves.flatMap(({ vendor_cost, currency }) =>
    vendor_cost === undefined || currency === undefined ? [] : [{ vendor_cost, currency }],
  )
  const [first] = prices
  return first && prices.length === leaves.length ? { vendor_cost: sumOf(prices), currency: first.currency } : {}
}

function sumOf(prices: readonly Pick<BuildPrice, 'vendor_cost'>[]): number {
  return microsToAmount(prices.reduce((sum, { vendor_cost }) => sum + priceToMicros(vendor_cost, 'unit_price'), 0))
}
