import { adoptCreative } from '../../domain/creative/adopt-creative.ts'
import type { SentCreative } from '../../domain/creative/creative.ts'
import type { Format } from '../../domain/creative/formats/format.ts'
import { previewCreative } from '../../domain/creative/preview/preview.ts'
import { renderSize } from '../../domain/creative/preview/render.ts'
import { knownFormat } from '../../domain/creative/resolve-format.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { brandLookOf } from './brand-look.ts'
import { formatScopeOf } from './format-scope.ts'
import { publishPreviews } from './publish-previews.ts'
import { verifyClaims } from './verify-claims.ts'

/** Where a generated ad can be viewed. */
export interface GeneratedPreview {
  readonly url: string
  readonly expiresAt: string
}

/** Creatives that came as a brief, with the ads that were made of them. */
export interface Generated {
  /** All creatives of the request in their order, under this agent's names, the generated ones with their ads. */
  readonly creatives: readonly SentCreative[]
  /** By creative id, for those that were generated. */
  readonly previews: ReadonlyMap<string, GeneratedPreview | undefined>
  /** By creative id, for briefs that nothing could be made of, and claims of provenance that a verifier refutes. */
  readonly refused: ReadonlyMap<string, AdcpError>
  /** By creative id, claims of provenance that nobody verified, in words. */
  readonly unverified: ReadonlyMap<string, string>
}

const CODE = ['html', 'javascript', 'vast', 'daast']

/**
 * Makes the ads of creatives that come as a brief for a generative format and bring no ad along. A builder may be a network away and previews are kept
 * outside the call's transaction, so it is for `prepare`. Claims of provenance are verified along the way. `publish` says whether previews get an address.
 */
export async function generateCreatives(
  context: AuthenticatedContext,
  creatives: readonly SentCreative[],
  { publish }: { readonly publish: boolean },
): Promise<Generated> {
  const scope = await formatScopeOf(context)
  const previews = new Map<string, GeneratedPreview | undefined>()
  const refused = new Map<string, AdcpError>()
  const done: SentCreative[] = []
  for (const [index, sent] of creatives.entries()) {
    const wire = adoptCreative(sent, scope, context.services.wiring.formats.ofKind)
    const format = knownFormat(wire.format_id, scope)
    if (!format || !isBrief(wire, format)) {
      done.push(wire)
      continue
    }
    try {
      const built = await generate(context, wire, format, `creatives[${index}].assets`)
      done.push(built)
      const rendered = publish ? [...previewCreative({ manifest: built, field: `creatives[${index}]` }, scope)] : []
      const published = publish ? await publishPreviews(context, rendered, 'url') : undefined
      const render = published?.previews[0]?.renders[0]
      const url = render && 'preview_url' in render ? render.preview_url : undefined
      previews.set(wire.creative_id, url !== undefined && published ? { url, expiresAt: published.expires_at } : undefined)
    } catch (error) {
      if (!(error instanceof AdcpError)) throw error
      refused.set(wire.creative_id, error)
      done.push(wire)
    }
  }
  const { contradicted, unverified } = await verifyClaims(context, done)
  return { creatives: done, previews, refused: new Map([...contradicted, ...refused]), unverified }
}

/** Whether an ad is still to be made: the format takes a brief, there is one, and nothing was made of it yet. */
function isBrief({ assets }: SentCreative, format: Format): boolean {
  const takesBrief = format.assets?.some((slot) => slot.item_type === 'individual' && slot.asset_type === 'brief') ?? false
  const given = Object.values(assets).flatMap((asset) => asset?.asset_type ?? [])
  return takesBrief && given.includes('brief') && !given.some((type) => CODE.includes(type))
}

async function generate(context: AuthenticatedContext, wire: SentCreative, format: Format, field: string): Promise<SentCreative> {
  const { assets } = await context.services.creativeBuilder.build({
    format,
    size: renderSize(wire.format_id, format),
    assets: wire.assets,
    message: undefined,
    brand: await brandLookOf(context, context.account?.document.brand),
    catalog: undefined,
    field,
  })
  return { ...wire, assets: { ...wire.assets, ...assets } }
}
