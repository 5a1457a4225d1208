import type { GetAdCPCapabilitiesResponse } from '@adcp/sdk/types'
import { ATTRIBUTION_WINDOW } from '../media-buy/attribute-conversions.ts'

type MediaBuy = NonNullable<GetAdCPCapabilitiesResponse['media_buy']>

/** What this seller does with buyers' own data (protocol/get-adcp-capabilities-response.json, `audience_targeting` and `conversion_tracking`). */
export function buyerDataCapabilities(
  tasks: ReadonlySet<string>,
  minimumAudienceSize: number,
): Pick<MediaBuy, 'audience_targeting' | 'conversion_tracking'> {
  const { postClickDays, postViewDays } = ATTRIBUTION_WINDOW
  return {
    ...(tasks.has('sync_audiences') && {
      audience_targeting: {
        supported_identifier_types: [...HASHED],
        supports_platform_customer_id: false,
        supported_uid_types: [...UIDS],
        minimum_audience_size: minimumAudienceSize,
        // Matched within the call.
        matching_latency_hours: { min: 0, max: 0 },
      },
    }),
    ...(tasks.has('sync_event_sources') &&
      tasks.has('log_event') && {
        conversion_tracking: {
          multi_source_event_dedup: true,
          supported_uid_types: [...UIDS],
          supported_hashed_identifiers: [...HASHED],
          attribution_windows: [
            { post_click: [{ interval: postClickDays, unit: 'days' }], post_view: [{ interval: postViewDays, unit: 'days' }] },
          ],
        },
      }),
  }
}

const HASHED: ['hashed_email', 'hashed_phone'] = ['hashed_email', 'hashed_phone']
const UIDS: ['rampid', 'id5', 'uid2', 'euid', 'pairid', 'maid'] = ['rampid', 'id5', 'uid2', 'euid', 'pairid', 'maid']
