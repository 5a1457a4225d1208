import { createHash, randomBytes } from 'node:crypto'
import type { NotificationConfig } from '../../domain/account/notification-configs.ts'
import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { FetchFailure } from '../../platform/net/fetch-policy.ts'
import type { SafePost } from '../../platform/net/safe-post.ts'
import type { KeyProvider } from '../../security/signing/key-provider.ts'
import { WEBHOOK_PROFILE } from '../../security/signing/profile.ts'
import { signMessage } from '../../security/signing/sign.ts'

/** A subscriber that says it controls its address. */
export interface Candidate {
  readonly config: NotificationConfig
  /** Undefined: it follows this agent. */
  readonly accountId: string | undefined
  /** Whether it may be on this machine. */
  readonly loopback: boolean
}

/** Asks a subscriber to prove that it controls its address; whether it did. Never rejects for what the receiver does. */
export type ProveControl = (candidate: Candidate) => Promise<boolean>

export interface ProofOptions {
  readonly post: SafePost
  readonly keys: KeyProvider
  readonly agentUrl: string
  readonly clock: () => Date
}

/**
 * The challenge of subscribers (AdCP sync_accounts, "Endpoint proof of control"; core/webhook-challenge.json, and core/agent-webhook-challenge.json for those
 * of this agent): a signed POST with a random text, which the receiver has to
 * send back as `challenge` or `token`, alone. One attempt; whatever else happens is no proof.
 */
export function createProveControl({ post, keys, agentUrl, clock }: ProofOptions): ProveControl {
  return async ({ config, accountId, loopback }) => {
    const challenge = randomBytes(32).toString('base64url')
    const body = Buffer.from(JSON.stringify(challengeOf(config, { challenge, accountId, agentUrl })))
    const message = { method: 'POST', url: config.url, body, contentType: 'application/json' }
    const seconds = Math.floor(clock().getTime() / 1000)
    const signature = await signMessage(message, await keys.signer('webhook-signing'), WEBHOOK_PROFILE, seconds)
    try {
      const headers = { 'Content-Type': 'application/json', ...signature }
      const answer = await post(config.url, { headers, body, loopback })
      return answer.status >= 200 && answer.status < 300 && isEcho(answer.text, challenge)
    } catch (error) {
      if (error instanceof FetchFailure) return false
      throw error
    }
  }
}

function challengeOf(
  { subscriber_id, event_types, authentication }: NotificationConfig,
  {
    challenge,
    accountId,
    agentUrl,
  }: { readonly challenge: string; readonly accountId: string | undefined; readonly agentUrl: string },
) {
  const fingerprint = authentication && createHash('sha256').update(authentication.credentials).digest('hex')
  return {
    type: 'webhook.challenge',
    challenge,
    ...(accountId === undefined ? { scope: 'agent' } : { account_id: accountId }),
    subscriber_id,
    seller_agent_url: agentUrl,
    delivery_auth: authentication
      ? { mode: authentication.schemes[0], credential_fingerprint: fingerprint }
      : { mode: 'rfc9421' },
    event_types,
  }
}

/** Exactly one member, `challenge` or `token`, with the text that was sent (core/webhook-challenge-response.json). */
function isEcho(text: string, challenge: string): boolean {
  const answer = foreignJsonIn(text)
  const [[name, value] = [], ...more] = Object.entries({ ...(typeof answer === 'object' && answer) })
  return more.length === 0 && (name === 'challenge' || name === 'token') && value === challenge
}
