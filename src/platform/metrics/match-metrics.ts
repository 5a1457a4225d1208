import { Counter, Histogram, Registry } from 'prom-client'

/** Numbers of one path of a router of Trusted Match, in a registry of its own. */
export interface MatchMetrics {
  answered(elapsedMs: number): void
  provider(providerId: string, outcome: 'answered' | 'timeout' | 'error', elapsedMs: number): void
  /** Counts an answer that contradicts what the publisher arranged, for each provider that is to blame. */
  contradiction(providerIds: readonly string[]): void
  /** Counts an impression that a provider was told of, by how it was counted. */
  impression(outcome: string): void
  /** In the text format of Prometheus. */
  text(): Promise<string>
}

/** Around the budgets of the specification: 30 ms for a provider, 50 ms from end to end. */
const BUCKETS = [1, 2, 5, 10, 20, 30, 40, 50, 75, 100, 250, 1000]

/**
 * Metrics of one path. Those of identities have no label of a provider: how often each was asked shows which kinds of tokens users had (router
 * architecture, "Identity Match fan-out").
 */
export function createMatchMetrics(path: 'context' | 'identity'): MatchMetrics {
  const registers = [new Registry()]
  const labelNames = path === 'context' ? ['provider'] : []
  const metric = (name: string, help: string) => ({ name: `tmp_${path}_${name}`, help, registers })
  const duration = new Histogram({ ...metric('match_duration_ms', 'Time of an answer to a publisher'), buckets: BUCKETS })
  const asked = new Histogram({
    ...metric('provider_duration_ms', 'Time of an answer of a provider'),
    buckets: BUCKETS,
    labelNames,
  })
  const timeouts = new Counter({
    ...metric('provider_timeout_total', 'Questions that a provider did not answer in time'),
    labelNames,
  })
  const errors = new Counter({
    ...metric('provider_error_total', 'Questions that a provider failed, or answered wrongly'),
    labelNames,
  })
  const contradictions =
    path === 'context'
      ? new Counter({
          // The name that the specification gives it ("Offer echo").
          name: 'seller_agent_echo_mismatch',
          help: 'Answers with an offer that names another seller agent than the one that was asked for',
          registers,
          labelNames,
        })
      : new Counter(metric('package_conflict_total', 'Answers in which several providers called one package eligible'))
  // Impressions are counted for users alone.
  const impressions =
    path === 'identity'
      ? new Counter({ ...metric('impressions_total', 'Impressions that creatives reported'), labelNames: ['outcome'] })
      : undefined
  return {
    answered: (elapsedMs) => duration.observe(elapsedMs),
    provider(provider, outcome, elapsedMs) {
      const labels = path === 'context' ? { provider } : {}
      if (outcome === 'answered') asked.observe(labels, elapsedMs)
      else (outcome === 'timeout' ? timeouts : errors).inc(labels)
    },
    contradiction(providers) {
      if (path === 'context') for (const provider of providers) contradictions.inc({ provider })
      else contradictions.inc()
    },
    impression: (outcome) => impressions?.inc({ outcome }),
    text: async () => (await Promise.all(registers.map((registry) => registry.metrics()))).join(''),
  }
}
