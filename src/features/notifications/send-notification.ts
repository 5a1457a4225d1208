import type { SmtpSettings } from '../../config/notification-settings.ts'
import { type MessageFrame, mailText, slackBody, subjectOf, webhookBody } from '../../domain/notification/message.ts'
import type { Channel, NotificationDocument } from '../../domain/notification/notification.ts'
import type { AttemptResult } from '../../domain/webhook/retry.ts'
import { FetchFailure } from '../../platform/net/fetch-policy.ts'
import type { SafePost } from '../../platform/net/safe-post.ts'
import type { KeyProvider } from '../../security/signing/key-provider.ts'
import { WEBHOOK_PROFILE } from '../../security/signing/profile.ts'
import { signMessage } from '../../security/signing/sign.ts'
import { type Attachment, sendMail } from './send-mail.ts'

export interface SendParts {
  readonly post: SafePost
  /** Of the deployment: receivers verify signed webhooks with the key set at `/.well-known/jwks.json`. */
  readonly keys: KeyProvider
  readonly smtp: SmtpSettings | undefined
  /** Whether webhooks may go to this machine, over plain HTTP too: in development. */
  readonly loopback: boolean
  readonly clock: () => Date
}

/** A message with everything that sending it takes. */
export interface Outgoing {
  readonly channel: Channel
  /** Mail address, or URL. */
  readonly address: string
  readonly deliveryId: string
  readonly tenantId: string
  readonly createdAt: string
  readonly document: NotificationDocument
  readonly frame: MessageFrame
  /** Files of a mail. */
  readonly attachments?: readonly Attachment[]
}

/** Sends a message once. Never rejects: whatever goes wrong is the result. */
export type SendNotification = (message: Outgoing, signal?: AbortSignal) => Promise<AttemptResult>

/**
 * The way out to people: mail through the configured server; webhooks under the policy for addresses that others name (https, public addresses, no
 * redirect, bounded time), Slack-compatible ones as they are, the others with a signature (RFC 9421) like webhooks to buyers.
 */
export function createSendNotification(parts: SendParts): SendNotification {
  return async (message, signal) => {
    const { channel, document, frame, deliveryId, createdAt } = message
    if (channel === 'slack') return postJson(parts, message, bytesOf(slackBody(document, frame)), {}, signal)
    if (channel === 'webhook') {
      const value = webhookBody(document, frame, { deliveryId, tenantId: message.tenantId, createdAt })
      return postSigned(parts, message, value, signal)
    }
    return sendMail(parts.smtp, {
      to: message.address,
      subject: subjectOf(document, frame),
      text: mailText(document, frame),
      messageId: `<${deliveryId}@${parts.smtp?.from.split('@').at(-1) ?? 'localhost'}>`,
      date: new Date(createdAt),
      attachments: message.attachments,
    })
  }
}

const CONTENT_TYPE = 'application/json'

function bytesOf(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

async function postSigned(parts: SendParts, message: Outgoing, value: object, signal?: AbortSignal): Promise<AttemptResult> {
  const body = bytesOf(value)
  try {
    const seconds = Math.floor(parts.clock().getTime() / 1000)
    const signer = await parts.keys.signer('webhook-signing')
    const signed = { method: 'POST', url: message.address, body, contentType: CONTENT_TYPE }
    return await postJson(parts, message, body, await signMessage(signed, signer, WEBHOOK_PROFILE, seconds), signal)
  } catch (error) {
    return { error: error instanceof Error ? error.message : 'unknown failure' }
  }
}

async function postJson(
  { post, loopback }: SendParts,
  { address }: Outgoing,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<AttemptResult> {
  try {
    const request = { headers: { 'Content-Type': CONTENT_TYPE, ...headers }, body, loopback, ...(signal && { signal }) }
    const { status, retryAfterSeconds } = await post(address, request)
    return { status, retryAfterSeconds, ...(status >= 300 && { error: `the receiver answered ${status}` }) }
  } catch (error) {
    if (!(error instanceof FetchFailure)) return { error: error instanceof Error ? error.message : 'unknown failure' }
    const hopeless = ['invalid_url', 'not_https', 'reserved_address'].includes(error.code)
    return { error: `${error.code}: ${error.message}`, ...(hopeless && { hopeless }) }
  }
}
