import { isObject } from '../../protocol/is-object.ts'
import { withEveryListToken } from '../media-buy/list-tokens.ts'
import { withoutQuery } from '../webhook-address.ts'

/** Fields that hold a webhook with its secrets (AdCP core/push-notification-config, core/reporting-webhook). */
const WEBHOOKS = ['push_notification_config', 'reporting_webhook', 'artifact_webhook', 'revocation_webhook']

/** Lists of agents with their secrets (AdCP core/notification-config, account/sync-governance-request). */
const SUBSCRIBERS = ['notification_configs', 'governance_agents']

/** A request as it may be stored: without the tokens of lists that it names, the secrets of its webhooks, subscribers and agents, and the queries of their addresses. */
export function withoutCredentials(request: object): object {
  return Object.fromEntries(
    Object.entries(withoutWebhookSecrets(request)).map(([name, value]) => [name, withEveryListToken(value, () => undefined)]),
  )
}

function withoutWebhookSecrets(request: object): object {
  const kept = Object.entries(request).map(([name, value]): [string, unknown] => {
    if (WEBHOOKS.includes(name)) return [name, withoutSecrets(value)]
    if (name === 'webhook_url' && typeof value === 'string') return [name, withoutQuery(value)]
    if (SUBSCRIBERS.includes(name) && Array.isArray(value)) return [name, value.map(withoutSecrets)]
    // Entries of sync_accounts and sync_governance.
    if (name === 'accounts' && Array.isArray(value))
      return [name, value.map((entry: unknown) => (isObject(entry) ? withoutWebhookSecrets(entry) : entry))]
    return [name, value]
  })
  return Object.fromEntries(kept)
}

function withoutSecrets(value: unknown): unknown {
  if (!isObject(value)) return value
  const { authentication: _authentication, token: _token, ...webhook } = value
  return typeof webhook.url === 'string' ? { ...webhook, url: withoutQuery(webhook.url) } : webhook
}
