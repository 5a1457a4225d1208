export interface IdempotencyTables {
  idempotency: {
    tenant_id: string
    principal_id: string
    account_id: string
    idempotency_key: string
    request_hash: string
    /** Token of the owner of an unfinished claim; a late owner whose claim was taken over cannot publish. */
    claim: string
    lease_until: string
    /** Payload of the success, null while the first request runs. */
    response: string | null
    expires_at: string
    forget_at: string
  }
}

/** Status of a task (AdCP enums/task-status). */
export type TaskStatus =
  | 'submitted'
  | 'working'
  | 'input-required'
  | 'completed'
  | 'canceled'
  | 'failed'
  | 'rejected'
  | 'auth-required'
  | 'unknown'

export interface TaskTables {
  tasks: {
    tenant_id: string
    task_id: string
    principal_id: string
    account_id: string
    task_type: string
    protocol: string
    status: TaskStatus
    message: string | null
    /** The request as JSON, without credentials. */
    request: string
    result: string | null
    error: string | null
    has_webhook: number
    revision: number
    created_at: string
    updated_at: string
    completed_at: string | null
  }
  /** What tasks are found by. */
  task_texts: {
    tenant_id: string
    principal_id: string
    task_id: string
    searched: string
  }
  /** Every status that a task had: its history. */
  task_changes: {
    tenant_id: string
    principal_id: string
    task_id: string
    revision: number
    at: string
    /** {@link TaskChange} as JSON, without its time. */
    document: string
  }
}
