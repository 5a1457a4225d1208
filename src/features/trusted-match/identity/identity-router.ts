import { LRUCache } from 'lru-cache'
import { dailyEpoch } from '../../../domain/trusted-match/daily-epoch.ts'
import { forwardedIdentities } from '../../../domain/trusted-match/identity/forwarded-identity.ts'
import type {
  IdentityRequest,
  IdentityResponse,
  ProviderIdentityResponse,
} from '../../../domain/trusted-match/identity/identity-messages.ts'
import { identityCacheKey, identitySignatureBases } from '../../../domain/trusted-match/identity/identity-signature-base.ts'
import { mergeIdentity, rivalProviders } from '../../../domain/trusted-match/identity/merge-identity.ts'
import { timeoutOf } from '../../../domain/trusted-match/provider-registration.ts'
import { KEY_ID_HEADER, SIGNATURE_HEADER } from '../../../security/signing/trusted-match-signature.ts'
import { fanOut, type Target } from '../fan-out.ts'
import { type ConnectedProvider, JSON_HEADERS, type PathParts } from '../path-parts.ts'
import { readProviderAnswer } from '../provider-answer.ts'

const CACHE = { max: 20_000 }

type Ended = Parameters<Target<unknown>['ended']>

/** Matches users: asks every provider of the country with the tokens that it may see, and merges what comes in time. It never rejects for a provider's fault. */
export function createIdentityRouter(parts: PathParts): (request: IdentityRequest) => Promise<IdentityResponse> {
  const { providers, isReady, signer, deadlineMs, cacheSeconds, parseJson, validate, clock, onProvider, onContradiction } = parts
  const answers = new LRUCache<string, ProviderIdentityResponse>(CACHE)

  const ask = async ({ client, registration }: ConnectedProvider, question: Question, signal: AbortSignal) => {
    const signature = await signer.signAside(question.signatureBaseOf(registration.endpoint))
    const headers = { ...JSON_HEADERS, [SIGNATURE_HEADER]: signature, [KEY_ID_HEADER]: signer.key.kid }
    const bytes = await client.post('/identity', question.body, headers, signal)
    return readProviderAnswer<ProviderIdentityResponse>(bytes, question.requestId, { parseJson, validate })
  }
  const askOrRepeat = async (
    provider: ConnectedProvider,
    request: IdentityRequest,
    question: () => Question,
    signal: AbortSignal,
  ) => {
    if (cacheSeconds === 0) return ask(provider, question(), signal)
    const key = identityCacheKey(provider.registration.provider_id, request)
    const known = answers.get(key)
    if (known) return known
    const response = await ask(provider, question(), signal)
    answers.set(key, response, { ttl: Math.min(cacheSeconds, response.serve_window_sec) * 1000 })
    return response
  }

  return async (request) => {
    const forwardedTo = forwardedIdentities(request)
    const questions = createQuestions(dailyEpoch(clock()))
    const targets = providers.flatMap((provider) => {
      const { registration } = provider
      const { provider_id: providerId, tmpx_slots: slots = [] } = registration
      const forwarded = isReady(providerId) ? forwardedTo(registration) : undefined
      if (forwarded === undefined) return []
      return {
        timeoutMs: timeoutOf(registration, deadlineMs),
        ask: async (signal: AbortSignal) => ({
          providerId,
          slots,
          response: await askOrRepeat(provider, forwarded, () => questions(forwarded), signal),
        }),
        ended: (...how: Ended) => onProvider(providerId, ...how),
      }
    })
    const found = await fanOut(targets)
    const rivals = rivalProviders(found)
    if (rivals.length > 0) onContradiction('package', rivals)
    return mergeIdentity(request.request_id, found)
  }
}

/** What is sent to all providers that may see the same tokens of a request. */
interface Question {
  readonly requestId: string
  readonly body: string
  readonly signatureBaseOf: (endpoint: string) => string
}

/** Gives the question of a forwarded request, made when it is first asked for. */
function createQuestions(epoch: number): (forwarded: IdentityRequest) => Question {
  const made = new Map<IdentityRequest, Question>()
  return (forwarded) => {
    const known = made.get(forwarded)
    if (known) return known
    const question = {
      requestId: forwarded.request_id,
      body: JSON.stringify(forwarded),
      signatureBaseOf: identitySignatureBases(forwarded, epoch),
    }
    made.set(forwarded, question)
    return question
  }
}
