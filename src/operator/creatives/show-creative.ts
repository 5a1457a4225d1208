import { pageOf } from '../../domain/creative/preview/html.ts'
import { renderCreative } from '../../domain/creative/preview/render.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findTenantCreative } from '../../store/creative/creatives.ts'
import type { OperatorContext } from '../operator-context.ts'

/** A creative of a publisher; several accounts of an agent may use one id. */
export interface NamedCreative {
  readonly tenantId: string
  readonly principalId: string
  readonly accountId: string
  readonly creativeId: string
}

/** How a creative shows: `dimensions` in CSS pixels, where its format or its assets say them. */
export interface CreativePreview {
  readonly document: string
  readonly scripts: boolean
  readonly dimensions?: { readonly width: number; readonly height: number }
}

/** One creative with what it is made of. Throws CREATIVE_NOT_FOUND. */
export async function showCreative(context: OperatorContext, named: NamedCreative) {
  const { creativeId, accountId, content, status, statusReason, createdAt, updatedAt, approvedAt } = await find(context, named)
  return {
    creative_id: creativeId,
    principal: named.principalId,
    account: accountId,
    name: content.name,
    format: content.formatId.id,
    format_agent: content.formatId.agent_url,
    status,
    reason: statusReason ?? null,
    assets: Object.entries(content.assets).map(([name, asset]) => presentAsset(name, { ...asset })),
    tags: content.tags,
    created_at: createdAt,
    updated_at: updatedAt,
    approved_at: approvedAt ?? null,
  }
}

/**
 * A document that shows a creative as it would be served, for a frame without an origin; `scripts` is true when it holds code of the buyer's.
 * undefined when nothing of it can be shown. Throws CREATIVE_NOT_FOUND.
 */
export async function previewOfCreative(context: OperatorContext, named: NamedCreative): Promise<CreativePreview | undefined> {
  const { content } = await find(context, named)
  const rendered = renderCreative(content.assets, content.formatId, undefined, {})
  const { dimensions } = rendered ?? {}
  return (
    rendered && { document: pageOf(content.name, rendered.html), scripts: rendered.scripts, ...(dimensions && { dimensions }) }
  )
}

/** Its address when it has one, else what it holds. */
function presentAsset(name: string, { asset_type: type, url, content, ...others }: Readonly<Record<string, unknown>>) {
  return {
    name,
    type: typeof type === 'string' ? type : '',
    url: typeof url === 'string' ? url : null,
    text: typeof content === 'string' ? content : JSON.stringify(others),
  }
}

async function find({ store }: OperatorContext, named: NamedCreative) {
  const creative = await findTenantCreative(store.read, named)
  if (!creative) throw new AdcpError('CREATIVE_NOT_FOUND', `there is no creative ${named.creativeId} of ${named.principalId}`)
  return creative
}
