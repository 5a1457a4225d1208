import type { Assets } from '../../domain/creative/assets.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { type CreativePosition, listCreativesInStatus, type OwnedCreative } from '../../store/creative/creatives.ts'
import { defineAct } from '../act.ts'
import { DEFAULT_PAGE, oneOf, paged } from '../fields.ts'
import { READERS } from '../roles.ts'
import { about, list, moment, type Of, object, optional, orNull, pageOf, string, word } from '../shape.ts'
import { CREATIVE_STATUSES } from './creative-shapes.ts'

const creativeRow = object({
  creative_id: string,
  buyer: string,
  account: string,
  name: string,
  format: string,
  status: word(...CREATIVE_STATUSES),
  reason: optional(string),
  picture: about('address of a picture among its assets', orNull(string)),
  updated_at: moment,
})
export type CreativeRow = Of<typeof creativeRow>

/**
 * A page of the creatives of a publisher's buyers in one status, those that were changed longest ago first. Throws INVALID_REQUEST for a cursor of another query and a
 * limit out of range.
 */
export const listCreatives = defineAct({
  name: 'creatives.list',
  route: 'GET /creatives',
  id: 'listCreatives',
  roles: READERS,
  summary: 'Creatives in one status, those that were changed longest ago first, by pages.',
  fields: {
    status: oneOf(CREATIVE_STATUSES, 'default: pending_review'),
    ...paged('creatives'),
  },
  answer: pageOf(creativeRow),
  command: {
    columns: [
      ['CREATIVE', (row) => row.creative_id],
      ['BUYER', (row) => row.buyer],
      ['ACCOUNT', (row) => row.account],
      ['FORMAT', (row) => row.format],
      ['WHY', (row) => row.reason ?? ''],
    ],
  },
  async run({ store, tenantId }, { status = 'pending_review', cursor, limit = DEFAULT_PAGE }) {
    const bound = ['creatives', tenantId, status]
    const after = positionOf(decodeCursor(bound, cursor))
    const { creatives, isCut } = await listCreativesInStatus(store.read, tenantId, status, { after, limit })
    const last = isCut ? creatives.at(-1) : undefined
    return list(creatives.map(rowOf), last ? encodeCursor(bound, JSON.stringify(placeOf(last))) : null)
  },
})

function rowOf({ principalId: buyer, creative }: OwnedCreative): CreativeRow {
  return {
    creative_id: creative.creativeId,
    buyer,
    account: creative.accountId,
    name: creative.content.name,
    format: creative.content.formatId.id,
    status: creative.status,
    ...(creative.statusReason !== undefined && { reason: creative.statusReason }),
    picture: pictureOf(creative.content.assets) ?? null,
    updated_at: creative.updatedAt,
  }
}

/** Address of the first picture among the assets of a creative. */
export function pictureOf(assets: Assets): string | undefined {
  for (const asset of Object.values(assets)) if (asset?.asset_type === 'image' && 'url' in asset) return asset.url
  return undefined
}

function placeOf({ principalId, creative }: OwnedCreative): CreativePosition {
  return [creative.updatedAt, creative.creativeId, principalId, creative.accountId]
}

function positionOf(text: string | undefined): CreativePosition | undefined {
  if (text === undefined) return undefined
  const position: CreativePosition = JSON.parse(text)
  return position
}
