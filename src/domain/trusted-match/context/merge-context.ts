import type { ContextResponse, Offer, ProviderContextResponse } from './context-messages.ts'

/** A provider's answer, with what its registration says. */
export interface ContextAnswer {
  readonly providerId: string
  /** Lower counts more (provider-registration.json `priority`). */
  readonly priority: number
  readonly response: ProviderContextResponse
}

/**
 * Merges the answers of providers, in the order in which they came (Trusted Match router architecture, "Context Match fan-out"). Of two offers
 * for a package that of the lower priority stays, of equal priorities the first. Targeting pairs are moved unchanged into the bucket
 * of the registered provider; what a provider says of buckets itself is ignored.
 */
export function mergeContext(requestId: string, answers: readonly ContextAnswer[]): ContextResponse {
  const offers = new Map<string, Offer>()
  for (const { response } of answers.toSorted((a, b) => a.priority - b.priority))
    for (const offer of response.offers) if (!offers.has(offer.package_id)) offers.set(offer.package_id, offer)
  const segments = new Set(answers.flatMap(({ response }) => response.signals?.segments ?? []))
  const buckets = answers.flatMap(({ providerId, response }) => {
    const pairs = response.signals?.targeting_kvs ?? []
    return pairs.length === 0 ? [] : [[providerId, { targeting_kvs: pairs }] as const]
  })
  return {
    status: 'completed',
    type: 'context_match_response',
    request_id: requestId,
    offers: [...offers.values()],
    ...(segments.size > 0 && { signals: { segments: [...segments] } }),
    // `fromEntries` makes own members of every name, `__proto__` included.
    ...(buckets.length > 0 && { signals_by_provider: Object.fromEntries(buckets) }),
  }
}
