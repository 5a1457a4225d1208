import type { AccountChange, ChangedResource, ChangeOrigin } from '../../domain/account/account-change.ts'
import type { AccountStatus } from '../../domain/account/account-document.ts'

interface ChangeRow {
  tenant_id: string
  account_id: string
  resource_type: ChangedResource
  resource_id: string
  action: AccountChange['action']
  origin: ChangeOrigin
  revision: number | null
}

export interface AccountChangeTables {
  /** Changes that were written with what they tell of, and have no place in the order yet. */
  account_change_entries: ChangeRow & { entry_id: string }
  /** Changes of accounts in their order, `seq` without gaps. */
  account_changes: ChangeRow & { seq: number; change_id: string; recorded_at: string }
}

export interface AccountGrantTables {
  /**
   * What an agent may do in an account. A row for the agent that declared the account narrows what it may do there; a row for
   * another agent of the same tenant lets it in.
   */
  account_grants: {
    tenant_id: string
    account_id: string
    principal_id: string
    read_only: number
    /** JSON array of task names; null allows all. */
    allowed_tasks: string | null
    created_at: string
  }
}

/** What a row says of having been recorded wrongly; all null: it counts. */
export interface TakenBackColumns {
  taken_back_at: string | null
  taken_back_by: string | null
  taken_back_reason: string | null
}

export interface AccountPaymentTables {
  account_payments: TakenBackColumns & {
    tenant_id: string
    payment_id: string
    account_id: string
    amount_micros: number
    currency: string
    /** Day of the payment, `YYYY-MM-DD`. */
    paid_on: string
    /** The operator's own note, e.g. a bank reference. */
    reference: string | null
    created_at: string
  }
}

export interface AccountTables {
  accounts: {
    tenant_id: string
    account_id: string
    principal_id: string
    natural_key: string
    status: AccountStatus
    sandbox: number
    /** 1 for a sandbox account that a reference created and no one declared: usable, never listed. */
    implicit: number
    billing: string | null
    /** The official account object as JSON, without bank details. */
    document: string
    revision: number
    created_at: string
    updated_at: string
  }
}

export interface UsageTables {
  usage_records: {
    tenant_id: string
    usage_id: string
    principal_id: string
    account_id: string
    /** What was used in which period: reported once. */
    fingerprint: string
    /** The record as JSON. */
    document: string
    cost_micros: number
    currency: string
    /** Day that the cost counts on, `YYYY-MM-DD`. */
    billed_on: string
    /** The grant of rights that was used. */
    rights_id: string | null
    created_at: string
  }
}
