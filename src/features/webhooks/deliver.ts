import { createHmac } from 'node:crypto'
import type { AuthScheme } from '../../domain/auth-scheme.ts'
import { accountSchemaOf } from '../../domain/webhook/account-schema.ts'
import { withToken } from '../../domain/webhook/envelope.ts'
import { withSignature } from '../../domain/webhook/list-change.ts'
import type { AttemptResult } from '../../domain/webhook/retry.ts'
import { FetchFailure } from '../../platform/net/fetch-policy.ts'
import type { SafePost } from '../../platform/net/safe-post.ts'
import type { Contracts } from '../../protocol/contracts.ts'
import { openAddress } from '../../security/secrets/sealed-address.ts'
import { SealBroken, type SecretBox } from '../../security/secrets/secret-box.ts'
import { detachedSignature } from '../../security/signing/detached-signature.ts'
import type { KeyProvider } from '../../security/signing/key-provider.ts'
import { WEBHOOK_PROFILE } from '../../security/signing/profile.ts'
import { signMessage } from '../../security/signing/sign.ts'
import { sealPlace, type WebhookEndpoint } from '../../store/webhook/webhook-endpoints.ts'

export interface DeliverOptions {
  readonly post: SafePost
  readonly keys: KeyProvider
  readonly box: SecretBox
  readonly contracts: Contracts
  readonly clock: () => Date
  /** Whether the server is a sandbox. */
  readonly sandbox: boolean
}

/** Sends a body to an endpoint once. Never rejects: whatever goes wrong is the result. */
export type Deliver = (endpoint: WebhookEndpoint, body: string, signal: AbortSignal) => Promise<AttemptResult>

const JSON_TYPE = 'application/json'
/** A2A 1.0; 0.3 has plain JSON. */
const A2A_TYPE = 'application/a2a+json'
/** As the official senders of both revisions do. */
const A2A_TOKEN_HEADER = 'X-A2A-Notification-Token'

/**
 * One attempt: the stored bytes with fresh proof of who sends them, either an RFC 9421 signature or the legacy secret that the buyer
 * registered, never both (AdCP core/push-notification-config: `authentication` is a switch).
 */
export function createDeliver({ post, keys, box, contracts, clock, sandbox }: DeliverOptions): Deliver {
  /** Of the release that the webhook was registered under, as long as it is served. */
  const contractOf = ({ settings: { release } }: WebhookEndpoint) =>
    (release === undefined ? undefined : contracts.find(release)) ?? contracts.base
  const opened = (endpoint: WebhookEndpoint, field: 'credentials' | 'token') => {
    const sealed = endpoint[field]
    return sealed === undefined ? undefined : box.open(sealed, sealPlace(endpoint.endpointId, field))
  }
  const proof = async (
    endpoint: WebhookEndpoint,
    url: string,
    body: Uint8Array,
    contentType: string,
  ): Promise<Record<string, string>> => {
    const seconds = Math.floor(clock().getTime() / 1000)
    const credentials = opened(endpoint, 'credentials')
    if (endpoint.scheme !== undefined && credentials !== undefined)
      return legacyProof(endpoint.scheme, credentials, body, seconds)
    const message = { method: 'POST', url, body, contentType }
    return signMessage(message, await keys.signer('webhook-signing'), WEBHOOK_PROFILE, seconds)
  }
  /** The text that is sent: with what must not lie in the outbox, or is made anew for each attempt. */
  const textOf = async (endpoint: WebhookEndpoint, text: string): Promise<string> => {
    if (endpoint.kind === 'list') return withSignature(text, await detachedSignature(text, await keys.signer('webhook-signing')))
    return endpoint.settings.format === undefined ? withToken(text, opened(endpoint, 'token')) : text
  }
  return async (endpoint, stored, signal) => {
    let bytes: number | undefined
    try {
      const text = await textOf(endpoint, stored)
      const payload: unknown = JSON.parse(text)
      const schema = schemaOf(endpoint, payload)
      const [issue] = schema === undefined ? [] : contractOf(endpoint).schemas.validator(schema)(payload)
      if (issue) return { hopeless: true, error: `payload refused by its own schema: ${issue.pointer} ${issue.message}` }
      const { format } = endpoint.settings
      const contentType = format === 'a2a-1.0' ? A2A_TYPE : JSON_TYPE
      const token = format === undefined ? undefined : opened(endpoint, 'token')
      const body = Buffer.from(text)
      bytes = body.byteLength
      const url = openAddress(box, endpoint, sealPlace(endpoint.endpointId, 'query'))
      const headers = {
        'Content-Type': contentType,
        ...(token !== undefined && { [A2A_TOKEN_HEADER]: token }),
        ...(await proof(endpoint, url, body, contentType)),
      }
      const answer = await post(url, { headers, body, loopback: endpoint.loopback && sandbox, signal })
      return { status: answer.status, retryAfterSeconds: answer.retryAfterSeconds, bytes }
    } catch (error) {
      return failureOf(error, bytes)
    }
  }
}

/** The official schema of what an endpoint gets; bodies of A2A have none of AdCP's. */
function schemaOf({ kind, taskType, settings }: WebhookEndpoint, payload: unknown): string | undefined {
  if (kind === 'list') return LIST_SCHEMAS[taskType]
  // Of a later release than 3.0, which has no subscriptions to accounts.
  if (kind === 'account' || kind === 'agent') return settings.release === undefined ? undefined : accountSchemaOf(payload)
  if (kind === 'revocation') return 'brand/revocation-notification.json'
  return settings.format === undefined ? 'core/mcp-webhook-payload.json' : undefined
}

const LIST_SCHEMAS: Readonly<Record<string, string>> = {
  property: 'property/property-list-changed-webhook.json',
  collection: 'collection/collection-list-changed-webhook.json',
}

/** The deprecated schemes (AdCP webhooks page): a Bearer token, or an HMAC over `<unix seconds>.<body>` in hex. */
function legacyProof(scheme: AuthScheme, credentials: string, body: Uint8Array, seconds: number): Record<string, string> {
  if (scheme === 'Bearer') return { Authorization: `Bearer ${credentials}` }
  const mac = createHmac('sha256', credentials).update(`${seconds}.`).update(body).digest('hex')
  return { 'X-ADCP-Timestamp': String(seconds), 'X-ADCP-Signature': `sha256=${mac}` }
}

function failureOf(error: unknown, bytes: number | undefined): AttemptResult {
  if (error instanceof FetchFailure) {
    const hopeless = error.code === 'invalid_url' || error.code === 'not_https'
    return { error: `${error.code}: ${error.message}`, hopeless, timedOut: error.code === 'timeout', bytes }
  }
  // A secret that cannot be opened now may be once the operator has put the right one back.
  if (error instanceof SealBroken) return { error: `stored secret cannot be opened: ${error.message}` }
  return { error: error instanceof Error ? error.message : 'unknown failure' }
}
