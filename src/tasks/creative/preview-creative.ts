import type { PreviewCreativeRequest, PreviewCreativeResponse } from '@adcp/sdk/types'
import { accountScopeOf } from '../../domain/account/account.ts'
import { type ShownItem, shownItem } from '../../domain/creative/macros/catalog-macros.ts'
import { fillWork } from '../../domain/creative/macros/fill-work.ts'
import { ITEMS_STEPS, MOST_SHOWN } from '../../domain/creative/preview/items.ts'
import { type Preview, type PreviewJob, previewCreative as renderPreviews } from '../../domain/creative/preview/preview.ts'
import { renderCreative } from '../../domain/creative/preview/render.ts'
import type { FormatScope } from '../../domain/creative/resolve-format.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError, type Issue, toWireError, type WireError } from '../../protocol/errors.ts'
import { quoted } from '../../protocol/nearest-name.ts'
import { findCreative } from '../../store/creative/creatives.ts'
import { catalogAssetOf, catalogOf } from './build-catalog.ts'
import { variantsOf } from './creative-variants.ts'
import { formatScopeOf } from './format-scope.ts'
import { PREVIEW_CREATIVE } from './input-notes.ts'
import { OUTPUTS, type OutputFormat, type Published, publishPreviews } from './publish-previews.ts'

/** A result of a batch (creative/preview-creative-response.json); the published types leave its members out. */
type BatchResult =
  | { readonly success: true; readonly creative_id: string; readonly response: Published }
  | { readonly success: false; readonly creative_id: string; readonly errors: readonly WireError[] }

export const previewCreative = defineTask<PreviewCreativeRequest, PreviewCreativeResponse>()({
  name: 'preview_creative',
  access: 'authenticated',
  scope: 'creatives',
  summary: 'Render creatives as they would show: one, a batch, or one of the library; as URL or HTML.',
  input: PREVIEW_CREATIVE,
  candidates: kindMeant,
  async work(request, context) {
    const jobs = await jobsOf(request, context)
    const steps = jobs.reduce(
      (sum, { manifest, inputs }) =>
        sum +
        fillWork(
          manifest.assets,
          (inputs ?? [{ name: '' }]).map(({ macros = {} }) => macros),
        ),
      0,
    )
    const sets = jobs.reduce((sum, { inputs }) => sum + (inputs?.length ?? 1), 0)
    const feeds = jobs.filter(({ manifest }) => catalogAssetOf(manifest.assets))
    const cards = feeds.reduce((sum, { inputs }) => sum + (inputs?.length ?? 1) * ITEMS_STEPS, 0)
    return {
      steps: steps + cards,
      product: `the assets and macros of ${sets} previews`,
      field: request.request_type === 'batch' ? 'requests' : 'inputs',
      suggestion: 'send fewer inputs in one call, shorter values of macros, or smaller assets',
    }
  },
  // Previews are kept outside the call's transaction: they are no effect that a retry could double.
  async prepare(request, context): Promise<PreviewCreativeResponse> {
    const scope = await formatScopeOf(context)
    switch (request.request_type) {
      case 'single': {
        const { creative_manifest: manifest, format_id: formatId, inputs } = request
        if (!manifest) throw missing('creative_manifest')
        const job = { manifest, formatId, inputs, field: 'creative_manifest' }
        const previews = await rendered({ ...job, items: await itemsOf(job, context) }, scope)
        return { response_type: 'single', ...(await publishPreviews(context, previews, outputOf(request))) }
      }
      case 'batch': {
        if (!request.requests) throw missing('requests')
        const results: BatchResult[] = []
        for (const [index, item] of request.requests.entries()) {
          const job = { manifest: item.creative_manifest, formatId: item.format_id, inputs: item.inputs }
          const output = item.output_format ?? outputOf(request)
          results.push(
            await batchResult(context, scope, { ...job, field: `requests[${index}].creative_manifest` }, output, index),
          )
        }
        return { response_type: 'batch', results }
      }
      case 'variant':
        return variant(request, context, scope)
    }
  },
  handle: async (_request, _context, prepared) => prepared,
})

/** How previews are given: as `output_format` says, or `format`, as the suite of AdCP 3.1 calls it. */
function outputOf(request: PreviewCreativeRequest): OutputFormat {
  const { output_format: output, format }: Pick<PreviewCreativeRequest, 'output_format'> & { format?: unknown } = request
  return output ?? OUTPUTS.find((each) => each === format) ?? 'url'
}

/** One item of a batch: what is wrong with it stops no other. */
async function batchResult(
  context: AuthenticatedContext,
  scope: FormatScope,
  job: PreviewJob,
  output: OutputFormat,
  index: number,
): Promise<BatchResult> {
  const { creative_id: named }: Readonly<Record<string, unknown>> = { ...job.manifest }
  const creative = { creative_id: typeof named === 'string' ? named : `requests[${index}]` }
  try {
    const previews = await rendered({ ...job, items: await itemsOf(job, context) }, scope)
    return { success: true, ...creative, response: await publishPreviews(context, previews, output) }
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return { success: false, ...creative, errors: [toWireError(error)] }
  }
}

/** A variant of a library creative by the id that get_creative_delivery gives it: the creative itself, or one item of its catalog. */
async function variant(
  request: PreviewCreativeRequest,
  context: AuthenticatedContext,
  scope: FormatScope,
): Promise<PreviewCreativeResponse> {
  const output = outputOf(request)
  const { creative, variantId, manifest } = await namedVariant(request, context)
  const previews = await rendered({ manifest, inputs: request.inputs, field: 'variant_id' }, scope)
  const published = await publishPreviews(context, previews, output)
  return {
    response_type: 'variant',
    variant_id: variantId,
    creative_id: creative.creativeId,
    previews: published.previews.map(({ preview_id, renders }) => ({ preview_id, renders })),
    manifest,
    expires_at: published.expires_at,
  }
}

/** Throws INVALID_REQUEST without a variant, and CREATIVE_NOT_FOUND. */
async function namedVariant(
  { variant_id: variantId, creative_id: creativeId }: PreviewCreativeRequest,
  context: AuthenticatedContext,
) {
  if (variantId === undefined) throw missing('variant_id')
  const creative = await creativeOfVariant(context, creativeId ?? variantId, variantId)
  const found = creative && (await variantsOf(context, creative)).find((each) => each.variantId === variantId)
  const own = creative?.creativeId === variantId && { format_id: creative.content.formatId, assets: creative.content.assets }
  const manifest = found?.manifest ?? (own || undefined)
  if (!creative || !manifest) throw new AdcpError('CREATIVE_NOT_FOUND', 'there is no such variant', { field: 'variant_id' })
  return { creative, variantId, manifest }
}

const LACKING: readonly string[] = ['/request_type', '/creative_manifest']

/** Says of a request without its kind, or of one of a single creative without that, what shows the creative that it names, or sends. */
async function kindMeant({ pointer, keyword }: Issue, request: object): Promise<string | undefined> {
  if (!LACKING.includes(pointer) || keyword !== 'required') return undefined
  const {
    variant_id: variant,
    creative_id: creative,
    creative_ids: creatives,
  }: Readonly<Record<string, unknown>> = { ...request }
  const id = [variant, creative, creatives].flat().find((each) => typeof each === 'string')
  if (id !== undefined) return `{"request_type": "variant", "variant_id": ${quoted(id)}} shows a creative of your library`
  if ('creative_manifest' in request) return '"single" shows what is in creative_manifest'
  return 'requests' in request ? '"batch" shows what is in requests' : undefined
}

/** What a request asks to fill, and how often. What it lacks is said where it is rendered. */
async function jobsOf(
  request: PreviewCreativeRequest,
  context: AuthenticatedContext,
): Promise<readonly Pick<PreviewJob, 'manifest' | 'inputs'>[]> {
  const { inputs } = request
  if (request.request_type === 'variant') return [{ manifest: (await namedVariant(request, context)).manifest, inputs }]
  if (request.request_type === 'single') return request.creative_manifest ? [{ manifest: request.creative_manifest, inputs }] : []
  return (request.requests ?? []).map((item) => ({ manifest: item.creative_manifest, inputs: item.inputs }))
}

/** What is shown of the catalog of a creative that has nothing else to show. Throws REFERENCE_NOT_FOUND for a catalog that was not synced. */
async function itemsOf({ manifest, formatId }: PreviewJob, context: AuthenticatedContext): Promise<readonly ShownItem[]> {
  const { assets } = manifest
  if (!catalogAssetOf(assets) || renderCreative(assets, formatId ?? manifest.format_id, undefined, {})) return []
  const catalog = await catalogOf(context, { assets }, MOST_SHOWN)
  return (catalog?.items ?? []).map(shownItem)
}

/** The previews of a creative, with a turn of the event loop after each. */
async function rendered(job: PreviewJob, scope: FormatScope): Promise<readonly Preview[]> {
  const previews: Preview[] = []
  for (const preview of renderPreviews(job, scope)) {
    previews.push(preview)
    await yieldToEventLoop()
  }
  return previews
}

/** Ids may hold colons themselves, so the longest one that is in the library counts. */
async function creativeOfVariant(context: AuthenticatedContext, creativeId: string, variantId: string) {
  if (variantId !== creativeId && !variantId.startsWith(`${creativeId}:`)) return undefined
  const reach = accountScopeOf(context.principal, undefined)
  for (let id = creativeId; ; id = id.slice(0, id.lastIndexOf(':'))) {
    const creative = await findCreative(context.db, reach, id)
    if (creative || !id.includes(':')) return creative
  }
}

function missing(field: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', `${field} is required for this request_type`, { field })
}
