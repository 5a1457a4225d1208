import type { ProviderRegistration } from '../../domain/trusted-match/provider-registration.ts'
import type { ProviderClient } from '../../platform/net/provider-client.ts'
import type { Validate } from '../../protocol/schemas.ts'
import type { MatchSigner } from '../../security/signing/trusted-match-signature.ts'
import type { Outcome } from './fan-out.ts'

/** A provider and the connections to it. Each path has its own. */
export interface ConnectedProvider {
  readonly registration: ProviderRegistration
  readonly client: ProviderClient
}

/**
 * `seller`: an offer names another seller agent than the one that was asked for (specification, "Offer echo"); `package`: several providers call one package
 * eligible, though each package is of one provider (router architecture, "Identity Match fan-out").
 */
export type Contradiction = 'seller' | 'package'

/** What one path of a router is made of. Nothing in it is shared with the other path but the signer, which keeps no state. */
export interface PathParts {
  readonly providers: readonly ConnectedProvider[]
  /** Whether a provider is asked at all (`watchProviderHealth`). */
  readonly isReady: (providerId: string) => boolean
  readonly signer: MatchSigner
  /** Milliseconds for all providers together. */
  readonly deadlineMs: number
  /** Seconds; 0: no answer is repeated. */
  readonly cacheSeconds: number
  readonly parseJson: (body: Uint8Array) => unknown
  /** Of what providers answer. */
  readonly validate: Validate
  readonly clock: () => Date
  /** Told of an answer that contradicts what the publisher arranged; the providers that are to blame. */
  readonly onContradiction: (kind: Contradiction, providerIds: readonly string[]) => void
  /** Told how each question to a provider ended, and for `error` why. */
  readonly onProvider: (providerId: string, outcome: Outcome, elapsedMs: number, error?: unknown) => void
}

export const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' }
