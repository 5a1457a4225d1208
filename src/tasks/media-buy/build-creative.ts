import type { Macros } from '../../domain/creative/macros/fill.ts'
import { fillWork } from '../../domain/creative/macros/fill-work.ts'
import { buildPrice, creativePrices } from '../../domain/creative/prices.ts'
import { readConfig } from '../../domain/creative/transformers/standard-transformers.ts'
import { variationsOf } from '../../domain/creative/transformers/variants.ts'
import { packageNotFound } from '../../domain/media-buy/not-found.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import { catalogOf } from '../creative/build-catalog.ts'
import type { BuildPlan } from '../creative/build-leaves.ts'
import { type BuiltManifest, buildManifest, shownManifest, targetsOf, unknownTargets } from '../creative/build-manifest.ts'
import {
  asksForVariants,
  type BuildRequest,
  buildingSteps,
  requireCarriedOut,
  severalTargets,
} from '../creative/build-options.ts'
import { previewOfBuild } from '../creative/build-preview.ts'
import { buildSourceOf } from '../creative/build-source.ts'
import { buildVariants, estimateBuild, requireWithinSpend } from '../creative/build-variants.ts'
import { fittingTransformer, namedTransformer, requireMade } from '../creative/choose-transformer.ts'
import { formatScopeOf } from '../creative/format-scope.ts'
import { namedMediaBuy } from './find-media-buys.ts'

export const buildCreative = defineTask<BuildRequest>()({
  name: 'build_creative',
  mutating: true,
  access: 'authenticated',
  scope: 'creatives',
  account: 'optional',
  summary: 'Build creatives from a message, assets or your library, for one format or several; refine them.',
  unknown: unknownTargets,
  async work(request) {
    const { creative_manifest: manifest, macro_values: values = {}, preview_inputs: inputs = [] } = request
    const building = buildingSteps(request)
    const fills = [...(severalTargets(request) ?? [{}]).map(() => values), ...inputs.map(({ macros = {} }) => macros)]
    return {
      steps: building + (manifest ? fillWork(manifest.assets, fills) : 0),
      product: `the assets and macros of ${fills.length} creatives and previews`,
      field: inputs.length > 1 ? 'preview_inputs' : 'macro_values',
      suggestion: 'send fewer preview_inputs or target_format_ids in one call, shorter values of macros, or smaller assets',
    }
  },
  // A builder may be a network away, and previews are kept outside the call's transaction.
  async prepare(request, context): Promise<object> {
    requireCarriedOut(request, context.contract)
    const plan = await planBuild(request, context)
    if (request.mode === 'estimate') return estimateBuild(plan, context)
    return asksForVariants(request) ? buildVariants(plan, context) : buildOnce(plan, context)
  },
  handle: async (_request, _context, prepared) => prepared,
})

/** Reads a request and finds what it names. Throws what is wrong with either. */
async function planBuild(request: BuildRequest, context: AuthenticatedContext): Promise<BuildPlan> {
  const scope = await formatScopeOf(context)
  const named = namedTransformer(request, context, scope)
  const source = await buildSourceOf(request, context)
  const targets = targetsOf(request, source, scope)
  if (named) requireMade(named, targets)
  const config = named?.config ?? {}
  const transformer = named?.transformer ?? fittingTransformer(context.services.creativeBuilder.transformers, targets)
  const variations = variationsOf({ axis: request.variant_axis, most: request.max_variants, config }, transformer)
  const sources = { assets: source.assets, message: request.message, catalogId: readConfig(config).catalogId }
  // Creatives for each item are not limited by how many of them one creative shows.
  const catalog = await catalogOf(context, sources, request.max_creatives === undefined ? request.item_limit : undefined)
  const trafficking = { ...(await placeOf(request, context)), CREATIVE_ID: source.creative?.creativeId }
  return { request, source, targets, catalog, trafficking, named, variations }
}

/** One manifest for each format, under one price. */
async function buildOnce(plan: BuildPlan, context: AuthenticatedContext): Promise<object> {
  const { request, source, targets, catalog, trafficking, named } = plan
  const prices = targets.map(({ format }) =>
    source.creative ? creativePrices(source.creative, format) : (format.pricing_options ?? []),
  )
  const price = buildPrice(prices, context.account !== undefined)
  requireWithinSpend(plan, price)
  const config = named && readConfig(named.config)
  const builds: BuiltManifest[] = []
  for (const target of targets)
    builds.push(await buildManifest(context, request, { source, target, catalog, trafficking, config }))
  const scope = await formatScopeOf(context)
  const manifests = builds.map(({ manifest }) => manifest)
  const shown = targets.flatMap((target, index) => {
    const manifest = manifests[index]
    return manifest ? [shownManifest(manifest, target, scope)] : []
  })
  const [single] = severalTargets(request) ? [] : shown
  const common = {
    ...price,
    ...(await previewOfBuild(request, context, scope, manifests)),
    ...(context.principal.sandbox && { sandbox: true }),
  }
  return single ? { creative_manifest: single, ...common } : { creative_manifests: shown, ...common }
}

/** Macros that the place of the ad decides. Throws MEDIA_BUY_NOT_FOUND or PACKAGE_NOT_FOUND; a simulated buyer may traffic for any place. */
async function placeOf({ media_buy_id, package_id }: BuildRequest, context: AuthenticatedContext): Promise<Macros> {
  if (media_buy_id === undefined) return {}
  if (!context.principal.conformance) {
    const buy = await namedMediaBuy(context.db, context, media_buy_id)
    if (package_id !== undefined && !buy.packages.some(({ packageId }) => packageId === package_id))
      throw packageNotFound(buy, package_id, 'package_id')
  }
  return { MEDIA_BUY_ID: media_buy_id, PACKAGE_ID: package_id }
}
