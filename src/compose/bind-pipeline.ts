import type { Config } from '../config/config.ts'
import type { Audit } from '../features/audit/audit.ts'
import { createAnswerCache } from '../pipeline/answer-cache.ts'
import type { Dispatch } from '../pipeline/call.ts'
import { createDispatch } from '../pipeline/pipeline.ts'
import { createNameReader, type NameReader } from '../pipeline/read-names.ts'
import type { PipelineDeps } from '../pipeline/state.ts'
import type { Metrics } from '../platform/metrics/collect.ts'
import { createClaims } from '../store/task/claims.ts'
import type { Tracing } from './tracing.ts'

/** What is built before the pipeline; the rest of what it needs follows from the configuration. */
interface PipelineParts
  extends Omit<PipelineDeps, 'answers' | 'audit' | 'refused' | 'observe' | 'spans' | 'claims' | 'idempotency'> {
  readonly audit: Audit
  readonly metrics: Metrics | undefined
  readonly tracing: Tracing | undefined
}

/** The road of a buyer's call, with its limits of time and what watches it, and that of a person who begins to name something. */
export function bindPipeline(
  { idempotency }: Config,
  { metrics, tracing, audit, ...parts }: PipelineParts,
): { readonly dispatch: Dispatch; readonly readNames: NameReader } {
  const { store, clock, log } = parts
  const deps: PipelineDeps = {
    ...parts,
    audit,
    answers: createAnswerCache(),
    refused: metrics?.refused,
    observe(observation) {
      metrics?.observe(observation)
      audit.ended(observation)
    },
    spans: tracing?.calls,
    claims: createClaims({ store, clock, onError: (error) => log.warn({ err: error }, 'a lease was not renewed') }),
    idempotency: {
      ttlMs: idempotency.replayTtlSeconds * 1000,
      tombstoneMs: idempotency.tombstoneSeconds * 1000,
      leaseMs: idempotency.leaseSeconds * 1000,
      waitMs: idempotency.waitSeconds * 1000,
    },
  }
  return { dispatch: createDispatch(deps), readNames: createNameReader(deps) }
}
