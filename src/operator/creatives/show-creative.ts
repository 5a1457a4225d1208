import { pageOf } from '../../domain/creative/preview/html.ts'
import { renderCreative } from '../../domain/creative/preview/render.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { defineAct } from '../act.ts'
import { READERS } from '../roles.ts'
import { about, boolean, listOf, moment, number, object, optional, orNull, string, word } from '../shape.ts'
import { CREATIVE_STATUSES } from './creative-shapes.ts'
import { CREATIVE, CREATIVE_COMMAND, findNamedCreative } from './find-creative.ts'

const shownCreative = object({
  creative_id: string,
  buyer: string,
  account: string,
  name: string,
  format: string,
  format_agent: string,
  status: word(...CREATIVE_STATUSES),
  reason: orNull(string),
  assets: listOf(object({ name: string, type: string, url: orNull(string), text: string })),
  tags: listOf(string),
  created_at: moment,
  updated_at: moment,
  approved_at: orNull(moment),
})

/** One creative with what it is made of. Throws CREATIVE_NOT_FOUND. */
export const showCreative = defineAct({
  name: 'creatives.show',
  route: 'GET /creatives/{buyer}/{account}/{creative}',
  id: 'showCreative',
  roles: READERS,
  summary: 'One creative with what it is made of. Account - stands for none.',
  fields: CREATIVE,
  answer: shownCreative,
  command: CREATIVE_COMMAND,
  async run({ store, tenantId }, named) {
    const found = await findNamedCreative(store.read, tenantId, named)
    const { creativeId, accountId, content, status, statusReason, createdAt, updatedAt, approvedAt } = found
    return {
      creative_id: creativeId,
      buyer: named.buyer,
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
  },
})

const creativePreview = object({
  document: about('an HTML document: show it in a frame without an origin only', string),
  scripts: about('whether it holds code of the buyer', boolean),
  dimensions: optional(
    about('in CSS pixels, where its format or its assets say them', object({ width: number, height: number })),
  ),
})

/** A document that shows a creative as it would be served. Throws CREATIVE_NOT_FOUND, INVALID_STATE when nothing of it can be shown. */
export const previewCreative = defineAct({
  name: 'creatives.preview',
  route: 'GET /creatives/{buyer}/{account}/{creative}/preview',
  id: 'previewCreative',
  roles: READERS,
  summary: 'An HTML document that shows a creative; it holds what the buyer sent: show it in a sandboxed frame only.',
  fields: CREATIVE,
  answer: creativePreview,
  async run({ store, tenantId }, named) {
    const { content } = await findNamedCreative(store.read, tenantId, named)
    const rendered = renderCreative(content.assets, content.formatId, undefined, {})
    if (!rendered) throw new AdcpError('INVALID_STATE', `nothing of the creative ${named.creative} can be shown`)
    const { html, scripts, dimensions } = rendered
    return { document: pageOf(content.name, html), scripts, ...(dimensions && { dimensions }) }
  },
})

/** Its address when it has one, else what it holds. */
function presentAsset(name: string, { asset_type: type, url, content, ...others }: Readonly<Record<string, unknown>>) {
  return {
    name,
    type: typeof type === 'string' ? type : '',
    url: typeof url === 'string' ? url : null,
    text: typeof content === 'string' ? content : JSON.stringify(others),
  }
}
