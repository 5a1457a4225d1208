import type { CreativeManifest } from '@adcp/sdk/types'
import type { Assets } from '../../domain/creative/assets.ts'
import type { Format } from '../../domain/creative/formats/format.ts'
import type { FormatKey } from '../../domain/creative/formats/format-id.ts'
import type { AdCatalog } from '../../domain/creative/macros/catalog-macros.ts'
import type { Macros } from '../../domain/creative/macros/fill.ts'
import { fillAssets } from '../../domain/creative/macros/fill-asset.ts'
import { renderSize } from '../../domain/creative/preview/render.ts'
import type { FormatScope } from '../../domain/creative/resolve-format.ts'
import { resolveFormat } from '../../domain/creative/resolve-format.ts'
import type { BuildConfig } from '../../domain/creative/transformers/transformer.ts'
import { validateCreative } from '../../domain/creative/validate-creative.ts'
import type { BuiltCreative } from '../../features/creatives/creative-builder.ts'
import type { AuthenticatedContext, Lacking } from '../../pipeline/task.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError, refusalsOf } from '../../protocol/errors.ts'
import { brandLookOf } from './brand-look.ts'
import type { BuildRequest } from './build-options.ts'
import type { BuildSource } from './build-source.ts'
import { byCanonicalNames, type Manifest } from './canonical-manifest.ts'
import { formatScopeOf } from './format-scope.ts'

/** A format to build for, with its path in the request. */
export interface BuildTarget {
  /** Whether it was named as a capability: then its manifest is named by the kind of format and the slots of that kind (AdCP 3.2, core/creative-manifest.json). */
  readonly isCanonical: boolean
  readonly formatId: FormatKey
  readonly format: Format
  readonly field: string
}

export interface BuiltManifest {
  readonly manifest: CreativeManifest
  readonly built: BuiltCreative
}

/**
 * The formats that a request asks for, by format or by capability; without any, that of the source. A list outranks a single format beside it: the schema wants one of the
 * two and some clients send both. Throws INVALID_REQUEST when neither names one, and FORMAT_NOT_SUPPORTED for a format whose slots this server does not know.
 */
export function targetsOf(request: Targets, source: Partial<Pick<BuildSource, 'formatId'>>, scope: FormatScope): BuildTarget[] {
  return namedTargets(request, source, scope).map(({ formatId, field, isCanonical }) => {
    if (!formatId) throw new AdcpError('INVALID_REQUEST', `${field} is required to build from a message`, { field })
    const resolved = resolveFormat(formatId, scope)
    if (resolved.kind === 'known') return { formatId, format: resolved.format.format, field, isCanonical }
    const list = isCanonical ? 'creative.supported_formats of get_adcp_capabilities' : 'list_creative_formats'
    const hint = (resolved.kind === 'unknown' && !isCanonical && resolved.hint) || `; see ${list}`
    throw new AdcpError('FORMAT_NOT_SUPPORTED', `${field} names no format that is built here${hint}`, { field })
  })
}

/** What is wrong with the formats that a request names, which may lack any member. */
export async function unknownTargets(
  request: Lacking<BuildRequest>,
  context: AuthenticatedContext,
): Promise<readonly AdcpError[]> {
  const { target_format_ids: formats, target_format_id, target_capability_id, target_capability_ids } = request
  const named = formats?.flatMap(({ agent_url, id }) => (agent_url && id ? [{ agent_url, id }] : []))
  const targets: Targets = {
    ...(target_format_id && { target_format_id }),
    ...(named && named.length === formats?.length && { target_format_ids: named }),
    ...(target_capability_id !== undefined && { target_capability_id }),
    ...(target_capability_ids && { target_capability_ids }),
  }
  return Object.keys(targets).length > 0 ? refusalsOf(async () => targetsOf(targets, {}, await formatScopeOf(context))) : []
}

/** The formats of a request, in each of the ways in which one is named. */
type Targets = Pick<BuildRequest, 'target_format_id' | 'target_format_ids' | 'target_capability_id' | 'target_capability_ids'>

type NamedTarget = Pick<BuildTarget, 'field' | 'isCanonical'> & { readonly formatId: FormatKey | undefined }

/** The ids of capabilities are those of the formats of this agent. */
function namedTargets(
  request: Targets,
  source: Partial<Pick<BuildSource, 'formatId'>>,
  { agentUrl }: FormatScope,
): readonly NamedTarget[] {
  const { target_format_id: format, target_format_ids: formats, target_capability_id: one, target_capability_ids: ids } = request
  const byId = (id: string, field: string): NamedTarget => ({ formatId: { agent_url: agentUrl, id }, field, isCanonical: true })
  if (formats) return formats.map((formatId, index) => ({ formatId, field: `target_format_ids[${index}]`, isCanonical: false }))
  if (ids) return ids.map((id, index) => byId(id, `target_capability_ids[${index}]`))
  if (one !== undefined) return [byId(one, 'target_capability_id')]
  return [{ formatId: format ?? source.formatId, field: 'target_format_id', isCanonical: false }]
}

/** A manifest as an answer names it: by its format, or, of a target that was named as a capability, by the kind of format alone. */
export function shownManifest(manifest: CreativeManifest, { isCanonical }: BuildTarget, scope: FormatScope): Manifest {
  if (!isCanonical) return { ...manifest }
  const { format_id: _id, ...named } = byCanonicalNames({ ...manifest }, scope)
  return named
}

/**
 * Builds one manifest. Throws VALIDATION_ERROR when the format needs a piece that neither the source has nor the builder makes, or
 * when the result breaks a rule of the format.
 */
export async function buildManifest(
  context: AuthenticatedContext,
  request: Pick<BuildRequest, 'message' | 'brand' | 'macro_values'>,
  {
    source,
    target,
    catalog,
    trafficking,
    config,
  }: {
    readonly source: BuildSource
    readonly target: BuildTarget
    readonly catalog: AdCatalog | undefined
    /** Macros that the place of the ad decides. */
    readonly trafficking: Macros
    /** Settings of the transformer that the buyer selected. */
    readonly config?: BuildConfig | undefined
  },
): Promise<BuiltManifest> {
  const { services, account, now } = context
  const { formatId, format } = target
  // Formats take trackers over https only, so an agent on somebody's own machine names none.
  const { origin, protocol } = new URL(services.wiring.agentUrl)
  const secure = protocol === 'https:'
  // A call may ask for many: others are served between two of them.
  await yieldToEventLoop()
  const [universal] = source.manifest.industry_identifiers ?? []
  const built = await services.creativeBuilder.build({
    format,
    size: renderSize(formatId, format),
    assets: source.assets,
    message: request.message,
    brand: await brandLookOf(context, request.brand ?? account?.document.brand),
    catalog,
    ...(config && { config }),
    ...(universal && { universalAdId: { registry: universal.type, value: universal.value } }),
    ...(secure && { pixelUrl: `${origin}/pixel` }),
    field: source.field,
  })
  const made = withCatalog(built.assets, format, catalog)
  const assets = fillAssets(fillAssets(made, trafficking), request.macro_values ?? {}, 'literal')
  requireComplete(assets, format, target.field)
  const manifest: CreativeManifest = {
    format_id: formatId,
    assets,
    ...source.manifest,
    // Made by rules from what people wrote: no model had a part in it (IPTC digital source types).
    provenance: source.manifest.provenance ?? {
      digital_source_type: 'digital_creation',
      declared_by: { agent_url: services.wiring.agentUrl, role: 'platform' },
      declared_at: now.toISOString(),
    },
    ext: {
      sales_agent: {
        builder: services.creativeBuilder.name,
        ...(built.notes.length > 0 && { notes: [...built.notes] }),
      },
    },
    // Where runners of the substitution contract look for items as they would show (substitution_observer_runner).
    ...(built.items.length > 0 && { preview_html: built.items.map(({ html }) => html).join('\n') }),
  }
  return { manifest, built }
}

/** A feed format carries its catalog by reference, so that what shows follows the feed. */
function withCatalog(assets: Assets, format: Format, catalog: AdCatalog | undefined): Assets {
  const slot = format.assets?.find((each) => each.item_type === 'individual' && each.asset_type === 'catalog')
  if (slot?.item_type !== 'individual' || assets[slot.asset_id] || catalog?.catalogId === undefined) return assets
  const type = catalog.type as 'product'
  return {
    ...assets,
    [slot.asset_id]: {
      asset_type: 'catalog',
      catalog_id: catalog.catalogId,
      type,
      ...(catalog.only && { ids: [...catalog.only] }),
    },
  }
}

function requireComplete(assets: Assets, format: Format, field: string): void {
  const known = { kind: 'known', format: { type: 'display', standard: true, format } } as const
  const [wrong] = validateCreative(assets, known).filter(({ severity }) => severity === 'error')
  if (!wrong) return
  throw new AdcpError(
    'VALIDATION_ERROR',
    `${field} cannot be built: ${wrong.field} ${wrong.message}, and what was sent has none that fits`,
    {
      field,
      suggestion: 'send the missing piece among the assets of creative_manifest, or choose another format',
    },
  )
}
