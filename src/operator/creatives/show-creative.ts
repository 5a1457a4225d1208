import { defineAct } from '../act.ts'
import { READERS } from '../roles.ts'
import { about, listOf, moment, object, orNull, string, word } from '../shape.ts'
import { CREATIVE_STATUSES, PREVIEW_MEMBERS } from './creative-shapes.ts'
import { CREATIVE, CREATIVE_COMMAND, findNamedCreative } from './find-creative.ts'
import { renderedCreative } from './rendered-creative.ts'

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
  preview: about('how it shows; null: nothing of it can be shown', orNull(object(PREVIEW_MEMBERS))),
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
  async run(context, named) {
    const found = await findNamedCreative(context.store.read, context.tenantId, named)
    const shown = await renderedCreative(context, found.content)
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
      preview: shown ? { layout: shown.layout, ...(shown.dimensions && { dimensions: shown.dimensions }) } : null,
    }
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
