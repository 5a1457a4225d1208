import type { Assets } from '../../domain/creative/creative.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type CreativePosition, listCreativesInStatus } from '../../store/creative/creatives.ts'
import type { OperatorContext } from '../operator-context.ts'
import type { CreativeStatus } from './review-creatives.ts'

export interface CreativeQuery {
  readonly tenantId: string
  readonly status: CreativeStatus
  /** `next_cursor` of the page before, of the same status. */
  readonly cursor?: string | undefined
  /** 1 to 200; default 50. */
  readonly limit?: number | undefined
}

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200

/**
 * A page of the creatives of a publisher's buyers in one status, those that were changed longest ago first. Throws INVALID_REQUEST for a cursor of another query and a limit out of
 * range.
 */
export async function listCreatives({ store }: OperatorContext, query: CreativeQuery) {
  const { tenantId, status, cursor, limit = DEFAULT_LIMIT } = query
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT))
    throw new AdcpError('INVALID_REQUEST', `limit must be a whole number from 1 to ${MAX_LIMIT}`, { field: 'limit' })
  const bound = ['creatives', tenantId, status]
  const after = positionOf(decodeCursor(bound, cursor))
  const found = await listCreativesInStatus(store.read, tenantId, status, { after, limit: limit + 1 })
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  return {
    creatives: page.map(({ principalId, creative }) => ({
      creative_id: creative.creativeId,
      principal: principalId,
      account: creative.accountId,
      name: creative.content.name,
      format: creative.content.formatId.id,
      status: creative.status,
      ...(creative.statusReason !== undefined && { reason: creative.statusReason }),
      /** Address of a picture among its assets. */
      picture: pictureOf(creative.content.assets) ?? null,
      updated_at: creative.updatedAt,
    })),
    next_cursor: last ? encodeCursor(bound, JSON.stringify(placeOf(last))) : null,
  }
}

/** Address of the first picture among the assets of a creative. */
export function pictureOf(assets: Assets): string | undefined {
  for (const asset of Object.values(assets)) if (asset?.asset_type === 'image' && 'url' in asset) return asset.url
  return undefined
}

function placeOf({ principalId, creative }: Awaited<ReturnType<typeof listCreativesInStatus>>[number]): CreativePosition {
  return [creative.updatedAt, creative.creativeId, principalId, creative.accountId]
}

function positionOf(text: string | undefined): CreativePosition | undefined {
  if (text === undefined) return undefined
  const position: CreativePosition = JSON.parse(text)
  return position
}
