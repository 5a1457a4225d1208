import type { DeploymentStatus } from '../../domain/signal/deployment.ts'

export interface SignalDeploymentTables {
  signal_deployments: {
    tenant_id: string
    deployment_id: string
    principal_id: string
    /** Empty for a sandbox agent that named no account. */
    account_id: string
    segment_id: string
    destination_key: string
    /** The destination as JSON, as the buyer named it. */
    destination: string
    pricing_option_id: string
    status: DeploymentStatus
    activation_key: string | null
    task_id: string | null
    requested_at: string
    ready_at: string
    deployed_at: string | null
    ended_at: string | null
  }
}

export interface SignalTables {
  signal_revisions: {
    tenant_id: string
    data_providers: string
    /** Grows with every import; caches are keyed by it. */
    revision: number
    updated_at: string
  }
  signals: {
    tenant_id: string
    segment_id: string
    position: number
    document: string
    /** Set when an import no longer lists the signal; deployments may still refer to it. */
    removed_at: string | null
  }
}
