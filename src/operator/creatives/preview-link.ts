import { adsOrigin } from '../../config/ads-settings.ts'
import { publicOrigin } from '../../config/config.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findCreative } from '../../store/creative/creatives.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 7
/** Longest validity of a link, which works without sign-in: as long as a campaign is prepared. */
const MOST_DAYS = 90

/** Which creative is shown where. `accountId` is needed when the agent has creatives of this id in several accounts. */
export interface PreviewWish {
  readonly tenantId: string
  readonly principalId: string
  readonly accountId?: string | undefined
  readonly creativeId: string
  /** Address of a page with the publisher's tags; default in development: the demo page. */
  readonly page?: string | undefined
  /** The one place that shows it; default: every place that it fits. */
  readonly place?: string | undefined
  readonly days?: number | undefined
}

/**
 * A signed link that shows a creative on a page of the publisher, whatever its status is, and counts nothing. Throws CREATIVE_NOT_FOUND; INVALID_REQUEST for a page that
 * is no web address, or a term that is not from 1 to 90 days.
 */
export async function previewLink(context: OperatorContext, wish: PreviewWish) {
  const { tenantId, principalId, accountId, creativeId, place, days = DEFAULT_DAYS } = wish
  if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS)
    throw new AdcpError('INVALID_REQUEST', `days is ${days}; a link is good for 1 to ${MOST_DAYS} days`, { field: 'days' })
  const page = pageOf(context, tenantId, wish.page)
  const now = context.clock()
  const expiresAt = now.getTime() + days * DAY_MS
  const tokens = await context.services.previewTokens()
  const store = auditedStore(context, { task: 'creatives.preview-link', tenant: tenantId, subject: creativeId })
  const creative = await store.transaction((tx) => findCreative(tx, { tenantId, principalId, accountId }, creativeId))
  if (!creative) throw new AdcpError('CREATIVE_NOT_FOUND', `${principalId} has no creative ${creativeId}`, { field: 'creative' })
  const link = {
    tenantId,
    principalId,
    accountId: creative.accountId,
    creativeId,
    ...(place !== undefined && { place }),
    expiresAt,
  }
  page.searchParams.set('adcp_preview', tokens.sign(link))
  return { creative_id: creativeId, url: page.href, expires_at: new Date(expiresAt).toISOString() }
}

function pageOf({ config }: OperatorContext, tenantId: string, text: string | undefined): URL {
  const origin = adsOrigin(config.ads, publicOrigin(config))
  const address = text ?? (config.mode === 'development' ? `${origin}/ads/${tenantId}/demo` : undefined)
  if (address === undefined)
    throw new AdcpError('INVALID_REQUEST', 'name the address of a page that has your tags', { field: 'page' })
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return new URL(address)
  throw new AdcpError('INVALID_REQUEST', `"${address}" is no web address; write https:// and the rest of it`, { field: 'page' })
}
