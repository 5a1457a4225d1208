import type { Forecast } from './forecast.ts'
import type { DaypartTarget } from './targeting-overlay.ts'

/** What a proposal gives to one product. */
export interface Allocation {
  product_id: string
  /** Of the whole budget. */
  allocation_percentage: number
  pricing_option_id?: string
  rationale?: string
  tags?: string[]
  start_time?: string
  end_time?: string
  daypart_targets?: DaypartTarget[]
  forecast?: Forecast
}

/** What has to be signed before a proposal can be ordered. */
export interface InsertionOrder {
  io_id: string
  requires_signature: boolean
  terms?: { advertiser?: string; publisher?: string }
}

/** Budgets that suit a proposal, in major units. */
export interface BudgetGuidance {
  min?: number
  recommended?: number
  max?: number
  currency?: string
}

/** AdCP enums/proposal-status.json. */
export type ProposalStatus = 'draft' | 'committed'

/** Shares of products that a buyer is offered together (AdCP core/proposal.json). */
export interface Proposal {
  proposal_id: string
  name: string
  description?: string
  allocations: Allocation[]
  proposal_status?: ProposalStatus
  /** ISO 8601. */
  expires_at?: string
  insertion_order?: InsertionOrder
  total_budget_guidance?: BudgetGuidance
  brief_alignment?: string
  forecast?: Forecast
  ext?: object
}

export type DatedProposal = Proposal & { readonly expires_at: string }
