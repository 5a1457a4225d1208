/** The capabilities document of this agent has changed for a caller. */
export interface CapabilitiesChange {
  /** The same for all subscribers of a caller. */
  readonly notificationId: string
  readonly capabilitiesVersion: string
  readonly subscriberId: string
  readonly agentUrl: string
  readonly at: Date
}

/** The body of a notification as text (AdCP 3.2, core/capabilities-changed-webhook.json). */
export function capabilitiesChangeBody(event: CapabilitiesChange, idempotencyKey: string): string {
  const { notificationId, capabilitiesVersion, subscriberId, agentUrl, at } = event
  return JSON.stringify({
    idempotency_key: idempotencyKey,
    notification_id: notificationId,
    notification_type: 'capabilities.changed',
    fired_at: at.toISOString(),
    subscriber_id: subscriberId,
    agent_url: agentUrl,
    changed_at: at.toISOString(),
    reason: 'other',
    capabilities_version: capabilitiesVersion,
  })
}
