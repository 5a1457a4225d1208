import { adsOrigin } from '../../config/ads-settings.ts'
import { publicOrigin } from '../../config/config.ts'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { defineAct } from '../act.ts'
import { changedMembers } from '../changed-members.ts'
import { between, count, text } from '../fields.ts'
import type { OperatorContext } from '../operator-context.ts'
import { SELLERS } from '../roles.ts'
import { moment, object, string } from '../shape.ts'
import { idText } from '../text-form.ts'
import { CREATIVE, CREATIVE_COMMAND, findNamedCreative } from './find-creative.ts'

const DEFAULT_DAYS = 7
/** Longest validity of a link, which works without sign-in: as long as a campaign is prepared. */
const MOST_DAYS = 90

/**
 * A signed link that shows a creative on a page of the publisher, whatever its status is, and counts nothing. Throws CREATIVE_NOT_FOUND; INVALID_REQUEST for a page that
 * is no web address, or a term that is not from 1 to 90 days.
 */
export const linkCreativePreview = defineAct({
  name: 'creatives.preview-link',
  account: 'account',
  route: 'POST /creatives/{buyer}/{account}/{creative}/preview-links',
  id: 'linkCreativePreview',
  roles: SELLERS,
  summary: 'Makes a signed link that shows a creative on a page of the publisher, and counts nothing.',
  subject: 'creative',
  fields: {
    ...CREATIVE,
    page: text('address of a page with your tags; default in development: the demo page'),
    place: idText('the one place that shows it; default: every place that it fits'),
    days: between(1, MOST_DAYS, count(`days for which the link is good, 1 to ${MOST_DAYS}; default ${DEFAULT_DAYS}`)),
  },
  answer: object({ creative_id: string, url: string, expires_at: moment }),
  command: {
    ...CREATIVE_COMMAND,
    text: ({ url, expires_at: end }) => [
      url,
      `valid until ${end}; anyone with the link sees the creative, and no events are counted`,
    ],
  },
  async run(context, { page: address, place, days = DEFAULT_DAYS, ...named }) {
    const { tenantId, store, clock } = context
    const page = pageOf(context, tenantId, address)
    const expiresAt = clock().getTime() + days * DAY_MS
    const tokens = await context.services.previewTokens()
    const end = new Date(expiresAt).toISOString()
    context.noteChanges(changedMembers({}, { page: `${page.origin}${page.pathname}`, place, expires_at: end }))
    const { accountId, creativeId } = await store.transaction((tx) => findNamedCreative(tx, tenantId, named))
    const link = { tenantId, principalId: named.buyer, accountId, creativeId, ...(place !== undefined && { place }), expiresAt }
    page.searchParams.set('adcp_preview', tokens.sign(link))
    return { creative_id: creativeId, url: page.href, expires_at: end }
  },
})

function pageOf({ config }: OperatorContext, tenantId: string, text: string | undefined): URL {
  const origin = adsOrigin(config.ads, publicOrigin(config))
  const address = text ?? (config.mode === 'development' ? `${origin}/ads/${tenantId}/demo` : undefined)
  if (address === undefined)
    throw new AdcpError('INVALID_REQUEST', 'name the address of a page that has your tags', { field: 'page' })
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return new URL(address)
  throw new AdcpError('INVALID_REQUEST', `"${address}" is no web address; write https:// and the rest of it`, { field: 'page' })
}
