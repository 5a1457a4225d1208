export interface ApprovalHoldTables {
  approval_holds: {
    tenant_id: string
    principal_id: string
    task_id: string
    message: string | null
    created_at: string
  }
}

/**
 * `waiting`: for the seller; `asked`: the seller wants something of the buyer first; `approving`: the seller said yes, and it is being
 * carried out. The others are final, and the first of them stays.
 */
export type ApprovalState = 'waiting' | 'asked' | 'approving' | 'approved' | 'rejected' | 'failed' | 'expired' | 'withdrawn'

export interface ApprovalTables {
  /** Work of buyers that a person at the seller decides on: one row a task. */
  approvals: {
    tenant_id: string
    task_id: string
    principal_id: string
    account_id: string
    /** Name of the task operation. */
    task_type: string
    /** The order that `summary` says it changes; null: none. */
    media_buy_id: string | null
    state: ApprovalState
    /** Why it waits. */
    reason: string
    /** What a person has to know, as JSON. */
    summary: string
    /** What carrying it out takes, as JSON; its form is the task's own. */
    document: string
    /** JSON array of the texts under which it was approved. */
    conditions: string
    /** What the seller said to the decision. */
    note: string | null
    /** 1 once the buyer was notified that time is running out. */
    reminded: number
    /** When the background job has to check it. */
    due_at: string
    expires_at: string
    created_at: string
    decided_at: string | null
    /** Who approved it, as the audit log names them. */
    decided_by: string | null
    revision: number
  }
}

export interface SandboxDirectiveTables {
  sandbox_directives: {
    tenant_id: string
    principal_id: string
    /** Name of the task whose next call is answered so, e.g. `get_products`. */
    task: string
    task_id: string
    message: string | null
    /** A {@link Rejection} as JSON, where the call is declined. */
    rejection: string | null
    created_at: string
  }
}

export interface SandboxOutageTables {
  sandbox_outages: {
    tenant_id: string
    principal_id: string
    /** Name of a task, or `*` for every task that may give an answer from a cache. */
    task: string
    upstream: string
    cache_age_seconds: number
    created_at: string
  }
}
