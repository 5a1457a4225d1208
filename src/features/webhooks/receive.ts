import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { WebhookProof } from '../../domain/auth-scheme.ts'
import type { ReplayStore } from '../../domain/identity/replay-store.ts'
import { SignatureError } from '../../security/signing/challenge.ts'
import type { KeySource } from '../../security/signing/keys.ts'
import { isSigned } from '../../security/signing/parse-signature.ts'
import { WEBHOOK_PROFILE_3_1 } from '../../security/signing/profile.ts'
import { operatorRevocations } from '../../security/signing/revocation.ts'
import type { ReceivedMessage } from '../../security/signing/verify.ts'
import { verifyWebhook } from '../../security/signing/webhook-verify.ts'

/** What a receiver registered, and so what it may expect: signatures, or a shared secret. Nothing expects both. */
export type Expectation =
  | { readonly mode: 'rfc9421'; readonly keys: KeySource; readonly replay: ReplayStore }
  | { readonly mode: 'legacy'; readonly secret: string }

export interface ReceiveOptions {
  readonly expect: Expectation
  readonly hasDuplicateKey: (body: Uint8Array) => boolean
  readonly nowSeconds: number
}

export type Reception =
  | { readonly genuine: true; readonly scheme: WebhookProof; readonly keyid?: string }
  /** `code` is what a `WWW-Authenticate: Signature error="…"` names. */
  | { readonly genuine: false; readonly code: string; readonly detail: string }

/** AdCP webhooks page: how old the timestamp of an HMAC may be. */
const HMAC_WINDOW_SECONDS = 300

/**
 * The receiver's side of both profiles of webhooks. The mode is what was registered, never what the message offers: a message of the other mode
 * is refused (`webhook_mode_mismatch`), or a thief of one secret could choose the weaker check.
 */
export async function receiveWebhook(message: ReceivedMessage, options: ReceiveOptions): Promise<Reception> {
  const { expect, hasDuplicateKey, nowSeconds } = options
  if (isSigned(message.rawHeaders) !== (expect.mode === 'rfc9421')) {
    const detail = expect.mode === 'rfc9421' ? 'it is not signed' : 'it is signed, and a shared secret was registered'
    return { genuine: false, code: 'webhook_mode_mismatch', detail }
  }
  if (expect.mode === 'legacy') {
    if (hasDuplicateKey(message.body)) return refused('webhook_body_malformed', 'a JSON object names a member twice')
    return legacy(message, expect.secret, nowSeconds)
  }
  try {
    const { keys, replay } = expect
    const revocations = operatorRevocations(() => false)
    const profile = WEBHOOK_PROFILE_3_1
    const { keyid } = await verifyWebhook(message, nowSeconds, { profile, keys, replay, revocations, hasDuplicateKey })
    return { genuine: true, scheme: 'rfc9421', keyid }
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error
    return refused(error.signatureCode, error.message)
  }
}

function legacy(message: ReceivedMessage, secret: string, nowSeconds: number): Reception {
  const header = (name: string) => onlyValue(message.rawHeaders, name)
  const [signature, timestamp] = [header('x-adcp-signature'), header('x-adcp-timestamp')]
  if (signature === undefined) {
    return isSame(header('authorization') ?? '', `Bearer ${secret}`)
      ? { genuine: true, scheme: 'Bearer' }
      : refused('webhook_signature_invalid', 'neither X-ADCP-Signature nor the Bearer token that was registered')
  }
  if (timestamp === undefined || !/^\d{1,12}$/.test(timestamp))
    return refused('webhook_signature_header_malformed', 'no X-ADCP-Timestamp')
  if (Math.abs(nowSeconds - Number(timestamp)) > HMAC_WINDOW_SECONDS)
    return refused('webhook_signature_window_invalid', `X-ADCP-Timestamp is more than ${HMAC_WINDOW_SECONDS} s away`)
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(message.body).digest('hex')
  return isSame(signature, `sha256=${expected}`)
    ? { genuine: true, scheme: 'HMAC-SHA256' }
    : refused('webhook_signature_invalid', 'X-ADCP-Signature does not fit body and secret')
}

function refused(code: string, detail: string): Reception {
  return { genuine: false, code, detail }
}

/** The value of a header that came exactly once. */
function onlyValue(rawHeaders: readonly string[], name: string): string | undefined {
  const values = rawHeaders.filter((_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
  return values.length === 1 ? values[0] : undefined
}

/** Constant time, also over the length. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}
