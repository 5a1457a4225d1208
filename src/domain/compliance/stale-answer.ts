import { isObject } from '../../protocol/is-object.ts'

/** Tasks that read and whose response schemas take errors beside the data (AdCP 3.1): an answer from a cache can say that it is one. */
export const STALE_TASKS = [
  'get_products',
  'get_signals',
  'get_media_buys',
  'get_media_buy_delivery',
  'get_creative_delivery',
  'list_accounts',
  'list_creatives',
  'list_creative_formats',
] as const

/** An upstream that could not be reached, and the age of what is answered instead. */
export interface StaleUpstream {
  readonly upstream: string
  readonly cacheAgeSeconds: number
}

/**
 * An answer that says which upstreams could not be reached: one STALE_RESPONSE for each beside the data (AdCP 3.1, error-details/stale-response.json).
 */
export function staleAnswer(answer: object, upstreams: readonly StaleUpstream[]): object {
  const before = isObject(answer) && Array.isArray(answer.errors) ? answer.errors : []
  const advisories = upstreams.map(({ upstream, cacheAgeSeconds }) => ({
    code: 'STALE_RESPONSE',
    message: `${upstream} could not be reached: the answer is ${cacheAgeSeconds} seconds old`,
    recovery: 'transient',
    details: {
      served_from_cache: true,
      cache_age_seconds: cacheAgeSeconds,
      upstream: { name: upstream },
      original_error: { code: 'SERVICE_UNAVAILABLE', message: 'the upstream did not answer' },
    },
  }))
  return { ...answer, errors: [...before, ...advisories] }
}
