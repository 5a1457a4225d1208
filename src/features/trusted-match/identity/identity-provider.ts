import { createHash, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import {
  candidatePackages,
  eligiblePackages,
  type IdentityPackage,
} from '../../../domain/trusted-match/identity/eligible-packages.ts'
import type {
  Identity,
  IdentityRequest,
  ProviderIdentityAnswer,
} from '../../../domain/trusted-match/identity/identity-messages.ts'
import { distinctIdentities, identityCacheKey } from '../../../domain/trusted-match/identity/identity-signature-base.ts'
import { encodeTmpx, identityKey, tmpxIdentities } from '../../../domain/trusted-match/identity/tmpx-plaintext.ts'
import { canonicalSeller } from '../../../domain/trusted-match/match-package.ts'
import { knownPackages } from '../known-packages.ts'

/** What a provider knows of users. */
export interface UserKnowledge {
  /** Ids of the audiences that any of these tokens is in, among those asked about. */
  audiencesOf(identities: readonly Identity[], asked: readonly string[]): Promise<ReadonlySet<string>>
  /** Ids of those of a seller's packages that a frequency cap holds back from any of these users (`identityKey`) now. */
  cappedPackages(
    keys: readonly string[],
    asked: { readonly seller: string; readonly candidates: readonly IdentityPackage[]; readonly now: Date },
  ): Promise<ReadonlySet<string>>
}

export interface IdentityProviderParts {
  readonly packages: () => Promise<readonly IdentityPackage[]>
  readonly knowledge: UserKnowledge
  /** Whether the consent of a request permits to process its tokens. */
  readonly mayProcess: (request: IdentityRequest) => Promise<boolean>
  /** Mints exposure tokens into the one slot that the provider registers. */
  readonly tmpx: { readonly slot: string; readonly country: string; seal(plaintext: Uint8Array): Promise<string> }
  /** Whether the packages or their caps changed a moment ago: publishers are asked to ask again soon then (specification, "Caching"). */
  readonly changedLately: () => boolean
  /** Seconds, 1 to 300. */
  readonly serveWindowSeconds: number
  readonly clock: () => Date
}

/** Answers that are kept, so that a request which is repeated within the day gets the same (specification, "Identity Match signed fields"). */
const REPEATED = { max: 50_000, ttl: 86_400_000 }

/** Seconds (provider-identity-match-response.json). */
const SHORTEST_WINDOW = 1

/**
 * Matches users as a provider. It learns nothing of pages, and changes nothing: impressions are counted where they are reported. Ids of packages that it does not know
 * are ignored, so that no answer shows which are registered (specification, "Package set decorrelation"). Rejects as {@link knownPackages} does.
 */
export function createIdentityProvider(
  parts: IdentityProviderParts,
): (request: IdentityRequest) => Promise<ProviderIdentityAnswer> {
  const { packages, knowledge, mayProcess, tmpx, changedLately, serveWindowSeconds, clock } = parts
  const answered = new LRUCache<string, Promise<ProviderIdentityAnswer>>(REPEATED)

  const factsOf = async (candidates: readonly IdentityPackage[], request: IdentityRequest, keys: readonly string[]) => {
    const asked = candidates.flatMap(({ user: { audiences = [], audiencesExcluded = [] } }) => [
      ...audiences,
      ...audiencesExcluded,
    ])
    const seller = canonicalSeller(request.seller_agent_url) ?? ''
    const [audiences, capped] = await Promise.all([
      knowledge.audiencesOf(distinctIdentities(request.identities), [...new Set(asked)]),
      knowledge.cappedPackages(keys, { seller, candidates, now: clock() }),
    ])
    return { audiences, capped }
  }
  const answer = async (request: IdentityRequest): Promise<ProviderIdentityAnswer> => {
    const candidates = candidatePackages(await knownPackages(packages), request, clock())
    const isAllowed = await mayProcess(request)
    const identities = isAllowed ? tmpxIdentities(distinctIdentities(request.identities)) : []
    const facts = isAllowed ? await factsOf(candidates, request, identities.map(identityKey)) : undefined
    const eligible = eligiblePackages(candidates, facts)
    const plaintext = {
      createdAt: Math.floor(clock().getTime() / 1000),
      country: tmpx.country,
      nonce: randomBytes(8).toString('hex'),
      identities,
    }
    const mints = eligible.length > 0 && identities.length > 0
    return {
      status: 'completed',
      type: 'identity_match_response',
      request_id: request.request_id,
      eligible_package_ids: eligible.map(({ packageId }) => packageId),
      serve_window_sec: changedLately() ? SHORTEST_WINDOW : serveWindowSeconds,
      ...(mints && { tmpx_chunks: [{ slot_id: tmpx.slot, value: await tmpx.seal(encodeTmpx(plaintext)) }] }),
    }
  }
  return (request) => {
    // The content too: an answer under one consent must not be given under another.
    const name = createHash('sha256')
      .update(`${request.request_id}\n${identityCacheKey('', request)}`)
      .digest('base64url')
    const known = answered.get(name)
    if (known) return known
    const made = answer(request)
    answered.set(name, made)
    made.catch(() => answered.delete(name))
    return made
  }
}
