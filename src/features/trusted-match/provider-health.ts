/** A provider whose health is watched. */
export interface WatchedProvider {
  readonly providerId: string
  /** The status of its `GET /health`. Rejects when it cannot be reached. */
  readonly status: (signal: AbortSignal) => Promise<number>
}

export interface ProviderHealth {
  /** Checks the providers that are due, all at once. It never rejects. */
  check(): Promise<void>
  /** Whether requests go to a provider; so until it has been found not ready. */
  isReady(providerId: string): boolean
}

export interface HealthParts {
  readonly providers: readonly WatchedProvider[]
  /** Milliseconds between two checks of a provider that is ready. */
  readonly everyMs: number
  /** Milliseconds that never go back. */
  readonly clock: () => number
  /** Told when a provider is left out and when it is asked again. */
  readonly onChange: (providerId: string, isReady: boolean) => void
}

/** How long a provider may take to say that it is ready. */
const ANSWER_MS = 5_000
/** Failed checks in a row after which a provider is left out. */
const MOST_FAILURES = 3
/** Says that it was asked too often, and nothing of whether it is ready. */
const TOO_MANY = 429
const LONGEST_WAIT_MS = 5 * 60_000

/**
 * Watches whether providers are ready (router architecture, "Provider health"): one that fails three checks in a row is asked nothing until it is ready again.
 * It is checked ever more rarely, five minutes apart at most. One without such an address (404, 405) is not judged, since providers need none.
 */
export function watchProviderHealth({ providers, everyMs, clock, onChange }: HealthParts): ProviderHealth {
  const states = new Map(providers.map(({ providerId }) => [providerId, { failures: 0, dueAt: Number.NEGATIVE_INFINITY }]))
  const isReady = (providerId: string) => (states.get(providerId)?.failures ?? 0) < MOST_FAILURES
  const checkOne = async ({ providerId, status }: WatchedProvider) => {
    const state = states.get(providerId)
    if (!state || state.dueAt > clock()) return
    const before = isReady(providerId)
    const found = await status(AbortSignal.timeout(ANSWER_MS)).catch(() => 0)
    if (found !== TOO_MANY) state.failures = [200, 404, 405].includes(found) ? 0 : state.failures + 1
    const doublings = Math.max(0, Math.min(state.failures - MOST_FAILURES, 10))
    state.dueAt = clock() + Math.min(everyMs * 2 ** doublings, Math.max(everyMs, LONGEST_WAIT_MS))
    if (isReady(providerId) !== before) onChange(providerId, !before)
  }
  return {
    check: async () => void (await Promise.all(providers.map(checkOne))),
    isReady,
  }
}
