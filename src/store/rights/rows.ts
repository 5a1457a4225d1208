import type { SubmittedCreative } from '../../domain/rights/review-creative.ts'

export interface RightsCreativeTables {
  rights_creatives: {
    tenant_id: string
    submission_id: string
    grant_id: string
    /** The buyer's id of the creative, or else its address. */
    creative_key: string
    creative_id: string | null
    url: string
    description: string | null
    status: SubmittedCreative['status']
    /** Reason, suggestions and conditions as JSON. */
    verdict: string
    submitted_at: string
    decided_at: string | null
  }
}

export interface RightsGrantTables {
  rights_grants: {
    tenant_id: string
    grant_id: string
    principal_id: string
    account_id: string
    /** The offering that it was made of. */
    rights_id: string
    /** 1 when a sandbox agent acquired it: it blocks no other agent. */
    sandbox: number
    /** {@link GrantAgreement} as JSON. */
    agreement: string
    /** An extension that waits for the rights holder, in the same form. */
    pending: string | null
    /** Task of the buyer that ends when the extension is decided. */
    pending_task_id: string | null
    paused: number
    /** Last day, `YYYY-MM-DD`; `9999-12-31` without one. */
    ends_on: string
    revoked_at: string | null
    credential_version: number
    revision: number
    created_at: string
    updated_at: string
  }
}
