import type { IdentityResponse, ProviderIdentityResponse, TmpxChunk } from './identity-messages.ts'

/** A provider's answer, with the slots that its registration names. */
export interface IdentityAnswer {
  readonly providerId: string
  readonly slots: readonly string[]
  readonly response: ProviderIdentityResponse
}

/** Seconds of the serve window when no provider answered (specification, "IdentityMatchResponse"). */
const DEFAULT_WINDOW = 60

/**
 * Merges the answers of providers: what any of them calls eligible, the shortest serve window, and each one's exposure tokens under its registered
 * identifier. Tokens whose slots are no ordered prefix of the registered ones are dropped, all of that provider's (router architecture, "TMPX collection").
 */
export function mergeIdentity(requestId: string, answers: readonly IdentityAnswer[]): IdentityResponse {
  const windows = answers.map(({ response }) => response.serve_window_sec)
  const tokens = answers.flatMap(({ providerId, slots, response: { tmpx_chunks: chunks = [] } }) =>
    isOrderedPrefix(chunks, slots) ? [[providerId, { chunks }] as const] : [],
  )
  return {
    status: 'completed',
    type: 'identity_match_response',
    request_id: requestId,
    eligible_package_ids: [...new Set(answers.flatMap(({ response }) => response.eligible_package_ids))],
    serve_window_sec: windows.length === 0 ? DEFAULT_WINDOW : Math.min(...windows),
    ...(tokens.length > 0 && { tmpx_providers: Object.fromEntries(tokens) }),
  }
}

/** The providers that call a package eligible which another one calls eligible too; each package is of one provider, so one of them is mistaken. */
export function rivalProviders(answers: readonly IdentityAnswer[]): readonly string[] {
  const claims = new Map<string, string>()
  const rivals = new Set<string>()
  for (const { providerId, response } of answers)
    for (const packageId of response.eligible_package_ids) {
      const first = claims.get(packageId) ?? providerId
      claims.set(packageId, first)
      if (first !== providerId) rivals.add(first).add(providerId)
    }
  return [...rivals].sort()
}

function isOrderedPrefix(chunks: readonly TmpxChunk[], slots: readonly string[]): boolean {
  return chunks.length > 0 && chunks.every(({ slot_id }, index) => slot_id === slots[index])
}
