import type { BillingParty } from '../identity/principal.ts'
import type { BilledParty, BrandName } from '../party.ts'
import type { ShownSubscriber } from './notification-configs.ts'

/** What a publisher may make of an account. */
export const DECIDED_STATUSES = ['active', 'payment_required', 'suspended', 'rejected', 'closed'] as const

/** Where an account is (AdCP enums/account-status.json). */
export const ACCOUNT_STATUSES = ['pending_approval', ...DECIDED_STATUSES] as const
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number]

/** When its invoices are due (AdCP enums/payment-terms.json). */
export const PAYMENT_TERMS = ['net_15', 'net_30', 'net_45', 'net_60', 'net_90', 'prepay'] as const
export type PaymentTerms = (typeof PAYMENT_TERMS)[number]

/** What a buyer has to do before an account opens. */
export interface AccountSetup {
  url?: string
  message: string
  expires_at?: string
}

/** What an account says of itself to those who buy by it (AdCP core/account.json). */
export interface AccountDocument {
  account_id: string
  name: string
  status: AccountStatus
  advertiser?: string
  billing_proxy?: string
  brand?: BrandName
  operator?: string
  billing?: BillingParty
  billing_entity?: BilledParty
  rate_card?: string
  payment_terms?: PaymentTerms
  /** Major units. */
  credit_limit?: { amount: number; currency: string }
  setup?: AccountSetup
  governance_agents?: { url: string; categories?: string[] }[]
  notification_configs?: readonly ShownSubscriber[]
  sandbox?: boolean
  ext?: object
}

/** An account as a buyer declares it (sync_accounts): by whose money it is and who spends it. */
export interface DeclaredAccount extends Pick<AccountDocument, 'billing_entity' | 'payment_terms' | 'sandbox'> {
  brand: BrandName
  operator: string
  billing: BillingParty
}
