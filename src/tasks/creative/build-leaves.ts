import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { AdCatalog, CatalogItem } from '../../domain/creative/macros/catalog-macros.ts'
import { identifyingMacro, itemMacros, shownItem } from '../../domain/creative/macros/catalog-macros.ts'
import type { Macros } from '../../domain/creative/macros/fill.ts'
import { type BuildPrice, creativePrices, firstPrice, leafPrice, requireAccount } from '../../domain/creative/prices.ts'
import { NO_CHARGE, transformerPrices } from '../../domain/creative/transformers/present-transformer.ts'
import { MOST_CREATIVES, MOST_LEAVES } from '../../domain/creative/transformers/transformer.ts'
import type { Variation } from '../../domain/creative/transformers/variants.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { BuildTarget } from './build-manifest.ts'
import type { BuildRequest } from './build-options.ts'
import type { BuildSource } from './build-source.ts'
import type { ChosenTransformer } from './choose-transformer.ts'

/** Everything that a build with several results starts from. */
export interface BuildPlan {
  readonly request: BuildRequest
  readonly source: BuildSource
  readonly targets: readonly BuildTarget[]
  readonly catalog: AdCatalog | undefined
  readonly trafficking: Macros
  readonly named: ChosenTransformer | undefined
  readonly variations: readonly Variation[]
}

/** The creatives to make of one item of a catalog; of none, where the request does not go through the items. */
export interface BuildGroup {
  readonly catalog: AdCatalog | undefined
  readonly item?: { readonly catalog_type: string; readonly item_id: string }
}

/** One build to be made and paid. */
export interface Leaf {
  readonly target: BuildTarget
  readonly variation: Variation
  readonly price: BuildPrice | undefined
  readonly recipe: string
}

export interface PlannedGroup extends BuildGroup {
  readonly leaves: readonly Leaf[]
}

/**
 * The builds of a request: for each item of the catalog that `max_creatives` asks for, for each format, one for each variation. Throws INVALID_REQUEST
 * for `max_creatives` without a catalog and for more builds than one call makes.
 */
export function planGroups(
  plan: BuildPlan,
  hasAccount: boolean,
): { readonly groups: readonly PlannedGroup[]; readonly itemsTotal: number } {
  const { request, targets, variations } = plan
  const groups = groupsOf(plan)
  const count = groups.length * targets.length * variations.length
  if (count > MOST_LEAVES) {
    throw new AdcpError('INVALID_REQUEST', `this asks for ${count} builds; one call makes at most ${MOST_LEAVES}`, {
      field: request.max_creatives === undefined ? 'max_variants' : 'max_creatives',
    })
  }
  const prices = targets.map((target) => priceOf(target, plan, hasAccount))
  requireOneCurrency(prices)
  return {
    itemsTotal: plan.catalog?.items.length ?? 0,
    groups: groups.map((group) => ({
      ...group,
      leaves: targets.flatMap((target, index) =>
        variations.map((variation) => ({ target, variation, price: prices[index], recipe: recipeOf(plan, group, target) })),
      ),
    })),
  }
}

function groupsOf({ request: { max_creatives: most }, catalog }: BuildPlan): BuildGroup[] {
  if (most === undefined) return [{ catalog }]
  if (!catalog || catalog.items.length === 0) {
    throw new AdcpError(
      'INVALID_REQUEST',
      'max_creatives makes a creative for each item of a catalog, and the request has no catalog with items',
      {
        field: 'max_creatives',
        suggestion:
          'send a catalog asset among the assets of creative_manifest, or name a synced catalog in the message or as config.catalog',
      },
    )
  }
  return catalog.items.slice(0, Math.min(most, MOST_CREATIVES)).map((item, index) => {
    const item_id = itemIdOf(item, catalog.type) ?? String(index)
    return { catalog: { ...catalog, items: [item], only: [item_id] }, item: { catalog_type: catalog.type, item_id } }
  })
}

function itemIdOf(item: CatalogItem, type: string): string | undefined {
  return itemMacros(item, undefined)[identifyingMacro(type)] ?? shownItem(item).title
}

/** The price of one build for a format. Where only other outputs of the transformer have a price, it is nothing. */
function priceOf({ format }: BuildTarget, { source, named }: BuildPlan, hasAccount: boolean): BuildPrice | undefined {
  const price = firstPrice(source.creative ? creativePrices(source.creative, format) : (format.pricing_options ?? []))
  if (price) {
    requireAccount(hasAccount)
    return leafPrice(price)
  }
  const [other] = named && hasAccount ? transformerPrices(named.outputs) : []
  return other && { pricing_option_id: NO_CHARGE, vendor_cost: 0, currency: other.currency }
}

function requireOneCurrency(prices: readonly (BuildPrice | undefined)[]): void {
  if (new Set(prices.flatMap((price) => price?.currency ?? [])).size <= 1) return
  throw new AdcpError(
    'INVALID_REQUEST',
    'target_format_ids have prices in different currencies; build each in a call of its own',
    {
      field: 'target_format_ids',
    },
  )
}

/** Identity of what a build is made from: alternatives of one creative share it. */
function recipeOf({ request, source, named }: BuildPlan, { item }: BuildGroup, { formatId }: BuildTarget): string {
  const { message, brand, macro_values, quality } = request
  const inputs = { message, brand, macro_values, quality, item, formatId, assets: source.assets }
  const text = canonicalize({ ...inputs, transformer: named?.transformer.id, config: named?.config }) ?? ''
  return `rh_${hash('sha256', text, 'base64url').slice(0, 22)}`
}
