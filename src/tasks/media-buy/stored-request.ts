/** A webhook as requests carry it; `authentication` holds the buyer's secret. */
interface Webhook {
  readonly url: string
  readonly authentication?: unknown
}

/** A request as it may be kept with a task: without the secrets of its webhooks. */
export function withoutWebhookCredentials<
  R extends { push_notification_config?: Webhook; reporting_webhook?: Webhook; artifact_webhook?: Webhook },
>(request: R): object {
  const { push_notification_config: push, reporting_webhook: reporting, artifact_webhook: artifact, ...rest } = request
  return {
    ...rest,
    ...(push && { push_notification_config: stripped(push) }),
    ...(reporting && { reporting_webhook: stripped(reporting) }),
    ...(artifact && { artifact_webhook: stripped(artifact) }),
  }
}

function stripped({ authentication: _authentication, ...webhook }: Webhook): object {
  return webhook
}
