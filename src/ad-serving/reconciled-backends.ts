import type { DriftPolicy } from '../domain/ad-serving/drift.ts'
import type { AdServerBackend } from './backend.ts'

/** An ad server that orders of a publisher are reconciled with. */
export interface ReconciledBackend {
  readonly backend: AdServerBackend
  /** What happens when it differs from what was written there. */
  readonly drift: DriftPolicy
  /** It is a module that this project did not write: what its rows cost is computed from their counts. */
  readonly isModule?: boolean | undefined
}

/** The ad servers of a publisher that are reconciled, by name. */
export type ReconciledBackends = (tenantId: string) => ReadonlyMap<string, ReconciledBackend>
