import { LRUCache } from 'lru-cache'
import type {
  ContextRequest,
  ContextResponse,
  Offer,
  ProviderContextResponse,
} from '../../../domain/trusted-match/context/context-messages.ts'
import { contextSignatureBase } from '../../../domain/trusted-match/context/context-signature-base.ts'
import { forwardedContext, servesContext } from '../../../domain/trusted-match/context/forwarded-context.ts'
import { mergeContext } from '../../../domain/trusted-match/context/merge-context.ts'
import { dailyEpoch } from '../../../domain/trusted-match/daily-epoch.ts'
import { timeoutOf } from '../../../domain/trusted-match/provider-registration.ts'
import { KEY_ID_HEADER, SIGNATURE_HEADER } from '../../../security/signing/trusted-match-signature.ts'
import { fanOut } from '../fan-out.ts'
import { type ConnectedProvider, JSON_HEADERS, type PathParts } from '../path-parts.ts'
import { readProviderAnswer } from '../provider-answer.ts'
import { sameSeller } from '../same-seller.ts'

/** Answers of so many contexts are kept, and so many characters of them. */
const CACHE = { max: 20_000, maxSize: 64 * 1024 * 1024 }
const SIGNATURES = 20_000

/** Matches contexts: asks every provider of the property, and merges what comes in time. It never rejects for a provider's fault. */
export function createContextRouter(parts: PathParts): (request: ContextRequest) => Promise<ContextResponse> {
  const { providers, isReady, signer, deadlineMs, cacheSeconds, parseJson, validate, clock, onProvider, onContradiction } = parts
  const answers = new LRUCache<string, ProviderContextResponse>(CACHE)
  const signatures = new LRUCache<string, string>({ max: SIGNATURES })

  const signatureOf = (base: string): string => {
    const known = signatures.get(base)
    if (known !== undefined) return known
    const made = signer.sign(base)
    signatures.set(base, made)
    return made
  }
  const ask = async ({ client, registration }: ConnectedProvider, request: ContextRequest, body: string, signal: AbortSignal) => {
    const base = contextSignatureBase(request, registration.endpoint, dailyEpoch(clock()))
    const headers = { ...JSON_HEADERS, [SIGNATURE_HEADER]: signatureOf(base), [KEY_ID_HEADER]: signer.key.kid }
    const bytes = await client.post('/context', body, headers, signal)
    return readProviderAnswer<ProviderContextResponse>(bytes, request.request_id, { parseJson, validate })
  }
  const keep = (key: string, response: ProviderContextResponse) => {
    const seconds = response.cache_ttl ?? cacheSeconds
    if (seconds > 0) answers.set(key, response, { ttl: seconds * 1000, size: JSON.stringify(response).length })
  }

  return async (sent) => {
    const request = forwardedContext(sent)
    const body = JSON.stringify(request)
    const { request_id: requestId, ...asked } = request
    // Two questions are the same when nothing but their names differs.
    const question = JSON.stringify(asked)
    const chosen = providers.filter(
      ({ registration }) => isReady(registration.provider_id) && servesContext(registration, request),
    )
    const found = await fanOut(
      chosen.map((provider) => {
        const { provider_id: providerId, priority = 0 } = provider.registration
        const key = `${providerId} ${question}`
        return {
          timeoutMs: timeoutOf(provider.registration, deadlineMs),
          async ask(signal: AbortSignal) {
            const known = answers.get(key)
            const response = known ?? (await ask(provider, request, body, signal))
            if (known === undefined) keep(key, response)
            const trusted = withTrueSeller(response, request.seller_agent_url)
            if (trusted !== response) onContradiction('seller', [providerId])
            return { providerId, priority, response: trusted }
          },
          ended: (...how) => onProvider(providerId, ...how),
        }
      }),
    )
    return mergeContext(requestId, found)
  }
}

/** Offers without a `seller_agent` that is not the one that was asked for (specification, "Offer echo"). */
function withTrueSeller(response: ProviderContextResponse, sellerAgentUrl: string): ProviderContextResponse {
  const isTrue = ({ seller_agent: seller }: Offer) => seller === undefined || sameSeller(seller.agent_url, sellerAgentUrl)
  if (response.offers.every(isTrue)) return response
  const offers = response.offers.map((offer) => {
    if (isTrue(offer)) return offer
    const { seller_agent: _echo, ...rest } = offer
    return rest
  })
  return { ...response, offers }
}
