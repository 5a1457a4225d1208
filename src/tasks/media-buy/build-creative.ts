import type { BuildCreativeRequest, BuildCreativeResponse } from '@adcp/sdk/types'
import type { Macros } from '../../domain/creative/macros/fill.ts'
import { buildPrice, creativePrices } from '../../domain/creative/prices.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { catalogOf } from '../creative/build-catalog.ts'
import { type BuiltManifest, buildManifest, targetsOf } from '../creative/build-manifest.ts'
import { previewOfBuild } from '../creative/build-preview.ts'
import { buildSourceOf } from '../creative/build-source.ts'
import { formatScopeOf } from '../creative/format-scope.ts'
import { namedMediaBuy } from './find-media-buys.ts'

export const buildCreative = defineTask<BuildCreativeRequest, BuildCreativeResponse>()({
  name: 'build_creative',
  mutating: true,
  access: 'authenticated',
  scope: 'creatives',
  account: 'optional',
  summary: 'Build creatives from a message, from assets or from your library, for one format or several; refine what was built.',
  // A builder may be a network away, and previews are kept outside the call's transaction.
  async prepare(request, context): Promise<BuildCreativeResponse> {
    const scope = await formatScopeOf(context)
    const source = await buildSourceOf(request, context)
    const targets = targetsOf(request, source, scope)
    const catalog = await catalogOf(context, { assets: source.assets, message: request.message }, request.item_limit)
    const trafficking = { ...(await placeOf(request, context)), CREATIVE_ID: source.creative?.creativeId }
    const builds: BuiltManifest[] = []
    for (const target of targets) builds.push(await buildManifest(context, request, { source, target, catalog, trafficking }))
    const manifests = builds.map(({ manifest }) => manifest)
    const [single] = request.target_format_ids ? [] : manifests
    const prices = targets.map(({ format }) =>
      source.creative ? creativePrices(source.creative, format) : (format.pricing_options ?? []),
    )
    const common = {
      ...buildPrice(prices, context.account !== undefined),
      ...(await previewOfBuild(request, context, scope, manifests)),
      ...(context.principal.sandbox && { sandbox: true }),
    }
    return (
      single ? { creative_manifest: single, ...common } : { creative_manifests: manifests, ...common }
    ) as BuildCreativeResponse
  },
  handle: async (_request, _context, prepared) => prepared,
})

/** Macros that the place of the ad decides. Throws MEDIA_BUY_NOT_FOUND or PACKAGE_NOT_FOUND; a simulated buyer may traffic for any place. */
async function placeOf({ media_buy_id, package_id }: BuildCreativeRequest, context: AuthenticatedContext): Promise<Macros> {
  if (media_buy_id === undefined) return {}
  if (!context.principal.conformance) {
    const buy = await namedMediaBuy(context.db, context, media_buy_id)
    if (package_id !== undefined && !buy.packages.some(({ packageId }) => packageId === package_id)) {
      throw new AdcpError('PACKAGE_NOT_FOUND', 'package_id is no package of this media buy', { field: 'package_id' })
    }
  }
  return { MEDIA_BUY_ID: media_buy_id, PACKAGE_ID: package_id }
}
