import type { ReleaseRules } from '../../protocol/release-rules.ts'
import type { WebhookEndpoint } from '../../store/webhook/webhook-endpoints.ts'

/** What is shown to an endpoint: one that was registered under a release that names itself is told of the health of a media buy. */
export function shownTo({ settings: { release } }: Pick<WebhookEndpoint, 'settings'>): Pick<ReleaseRules, 'health'> {
  return release === undefined ? {} : { health: true }
}
