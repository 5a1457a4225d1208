import { readFileSync } from 'node:fs'
import { type Expectation, type Reception, receiveWebhook } from '../../features/webhooks/receive.ts'
import { boundedBody } from '../../platform/net/plain-fetch.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { memoryReplayStore } from '../../security/signing/memory-replay-store.ts'
import { remoteKeys } from '../../security/signing/remote-keys.ts'

export type { Reception }

/** What a developer registered with the agent whose webhooks are received. */
export interface Registration {
  /** URL of the agent: its keys are those of its origin. */
  readonly agent?: string | undefined
  /** URL of its key set, when it is not at the origin of the agent. */
  readonly jwks?: string | undefined
  /** File with the shared secret: HMAC-SHA256 or Bearer instead of signatures. */
  readonly secretFile?: string | undefined
}

type Message = Parameters<typeof receiveWebhook>[0]

/** Judges webhooks as they come. `hasDuplicateKey`: whether a body repeats a member of an object. */
export type Receiver = (message: Message, now: Date, hasDuplicateKey: (body: Uint8Array) => boolean) => Promise<Reception>

/** A receiver of webhooks that have to prove what `expect` says. */
export function createReceiver(expect: Expectation): Receiver {
  return (message, now, hasDuplicateKey) => receiveWebhook(message, { expect, hasDuplicateKey, nowSeconds: now.getTime() / 1000 })
}

/** How webhooks are verified. Throws INVALID_REQUEST when nothing of a registration is given. */
export function expectationOf({ agent, jwks, secretFile }: Registration): Expectation {
  if (secretFile !== undefined) return { mode: 'legacy', secret: readFileSync(secretFile, 'utf8').trim() }
  const url = jwks ?? (agent === undefined ? undefined : new URL('/.well-known/jwks.json', agent).href)
  if (url === undefined) {
    throw new AdcpError(
      'INVALID_REQUEST',
      'name the agent (--agent), its key set (--jwks) or the shared secret (--secret-file)',
      { field: 'agent' },
    )
  }
  return { mode: 'rfc9421', keys: remoteKeys(agent ?? url, async () => url, fetchDocument), replay: memoryReplayStore() }
}

/** The address is the developer's own, so the policy for addresses that others name does not apply. */
async function fetchDocument(url: string, { maxBytes }: { readonly maxBytes: number }) {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(10_000) })
  return { status: response.status, body: await boundedBody(response, maxBytes) }
}
