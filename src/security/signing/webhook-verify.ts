import { SignatureError, SignatureFault } from './challenge.ts'
import type { ReceivedMessage } from './checklist.ts'
import { WEBHOOK_PROFILE } from './profile.ts'
import { type VerifiedSigner, type VerifyOptions, verifySignature } from './verify.ts'

/** Everything but the profile, which may be {@link WEBHOOK_PROFILE} (the default) or its 3.1 form. */
export type WebhookVerifyOptions = Omit<VerifyOptions, 'profile'> & Partial<Pick<VerifyOptions, 'profile'>>

/**
 * Receiver's side of a signed webhook: the same checklist with the webhook profile. A webhook without a signature is refused,
 * since a receiver of signed webhooks has nothing else to go by. Throws {@link SignatureError} with a `webhook_…` code.
 */
export async function verifyWebhook(
  message: ReceivedMessage,
  nowSeconds: number,
  options: WebhookVerifyOptions,
): Promise<VerifiedSigner> {
  const profile = options.profile ?? WEBHOOK_PROFILE
  const signer = await verifySignature(message, nowSeconds, { ...options, profile })
  if (!signer) throw new SignatureError('webhook', new SignatureFault('signature_required', 'webhook is not signed'))
  return signer
}
