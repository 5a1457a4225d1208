import type { IdentityResponse } from './identity-messages.ts'

/** Destinations of exposure tokens on one surface, by provider and slot (publisher-tmpx-config.json). */
export type TmpxMapping = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Tokens by destination, and the providers whose tokens were dropped because the mapping misses them or one of their slots. */
export interface TmpxTargeting {
  readonly values: readonly { readonly destination: string; readonly value: string }[]
  readonly dropped: readonly string[]
}

/** Resolves tokens to destinations. A provider with one unknown slot has none of its tokens used (specification, "Publisher TMPX macro mapping"). */
export function publisherTmpx(
  { tmpx_providers: providers = {} }: Pick<IdentityResponse, 'tmpx_providers'>,
  mapping: TmpxMapping,
): TmpxTargeting {
  const resolved = Object.entries(providers).map(([providerId, { chunks }]) => {
    const slots = Object.hasOwn(mapping, providerId) ? (mapping[providerId] ?? {}) : {}
    const values = chunks.flatMap(({ slot_id: slot, value }) => {
      const destination = Object.hasOwn(slots, slot) ? slots[slot] : undefined
      return destination === undefined ? [] : [{ destination, value }]
    })
    return { providerId, values, isComplete: values.length === chunks.length }
  })
  return {
    values: resolved.flatMap(({ values, isComplete }) => (isComplete ? values : [])),
    dropped: resolved.flatMap(({ providerId, isComplete }) => (isComplete ? [] : [providerId])),
  }
}
