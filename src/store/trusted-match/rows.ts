export interface MatchKeyTables {
  /** Keys with which the router of a publisher signs. */
  match_keys: {
    tenant_id: string
    kid: string
    /** Public key, base64url. */
    x: string
    /** Private key as PEM, encrypted under the deployment's secret. */
    sealed: string
    created_at: string
    /** When another key took over; null: it signs. */
    retired_at: string | null
    revoked_at: string | null
  }
}

export interface MatchProviderTables {
  /** Providers that a publisher registered, and the sync of packages to each. */
  match_providers: {
    tenant_id: string
    provider_id: string
    /** JSON (trusted-match/provider-registration.json). */
    registration: string
    /** Where packages are synced to, without what `sync_query` hides; null: they are not. */
    sync_url: string | null
    /** Query and secrets of the path of that address, encrypted under the deployment's secret; null: it has none. */
    sync_query: string | null
    /** Key for it, encrypted under the deployment's secret; null: none. */
    sync_key: string | null
    /** Hash of the packages that the provider has; '' before the first sync. */
    synced: string
    synced_at: string | null
    /** Failed attempts in a row. */
    attempts: number
    /** When the next attempt may be made. */
    due_at: string
    /** Why the last attempt failed. */
    fault: string | null
    revision: number
    updated_at: string
  }
}

export interface SyncedPackageTables {
  /** Packages that sellers synced to a provider that runs alone (trusted-match/available-package.json). */
  match_packages: {
    tenant_id: string
    /** Canonical URL of the seller agent. */
    seller: string
    package_id: string
    document: string
  }
}
