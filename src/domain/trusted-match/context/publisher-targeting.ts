import type { ContextResponse, TargetingPair } from './context-messages.ts'

/** Destinations of the publisher's ad server by provider and by the provider's own key (publisher-targeting-kv-config.json). */
export type TargetingMapping = Readonly<Record<string, Readonly<Record<string, string>>>>

/**
 * Key-values for the publisher's ad server. A pair counts when provider and key are own members of the mapping, without any change of case; all
 * others are dropped. Several pairs may go to one destination.
 */
export function publisherTargeting(
  { signals_by_provider: buckets = {} }: Pick<ContextResponse, 'signals_by_provider'>,
  mapping: TargetingMapping,
): readonly TargetingPair[] {
  return Object.entries(buckets).flatMap(([providerId, { targeting_kvs: pairs }]) => {
    const keys = Object.hasOwn(mapping, providerId) ? mapping[providerId] : undefined
    if (keys === undefined) return []
    return pairs.flatMap(({ key, value }) => {
      const destination = Object.hasOwn(keys, key) ? keys[key] : undefined
      return destination === undefined ? [] : [{ key: destination, value }]
    })
  })
}
