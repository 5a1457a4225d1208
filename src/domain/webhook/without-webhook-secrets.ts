/** Fields that hold a webhook with its secret (AdCP core/push-notification-config, core/reporting-webhook). */
const WEBHOOKS = ['push_notification_config', 'reporting_webhook', 'artifact_webhook']

/** A request as it may be stored: without the secrets of its webhooks. */
export function withoutWebhookSecrets(request: object): object {
  const kept = Object.entries(request).map(([name, value]): [string, unknown] => {
    if (!WEBHOOKS.includes(name) || typeof value !== 'object' || value === null) return [name, value]
    const { authentication: _authentication, token: _token, ...webhook } = value as { authentication?: unknown; token?: unknown }
    return [name, webhook]
  })
  return Object.fromEntries(kept)
}
