import type { ApprovalPolicy } from '../approval/policy.ts'
import type { FactorPolicy } from './factor-policy.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { MakeGoodPolicy } from './make-good-policy.ts'

/** A publisher's own space in the deployment. Everything stored belongs to exactly one tenant. */
export interface Tenant {
  readonly tenantId: string
  readonly name: string
  /** The publisher's domain. */
  readonly domain: string
  /** Whether unauthenticated calls without a tenant path see this tenant's public products. */
  readonly isPublicDefault: boolean
  /** Grows with every change of products or formats; caches are keyed by it. */
  readonly productsRevision: number
  readonly settings: TenantSettings
}

/** Per-tenant policy, stored as one JSON document. */
export interface TenantSettings {
  /** Total budget, in micros of the publisher's currency, above which a buy needs approval; absent = never. One in a currency that no rule has a limit for needs it too. */
  readonly approvalAboveMicros?: number
  /** When work of buyers needs approval by a person, and for how long; absent = as the products say. */
  readonly approvals?: ApprovalPolicy
  /** Billing parties that the publisher accepts; absent = all. */
  readonly billing?: readonly BillingParty[]
  /** What is done of itself when a guaranteed line ended short; absent = people see what can be offered. */
  readonly makeGoods?: MakeGoodPolicy
  /** Who reviews creatives: the rules of this server (the default), or a person for each of them. */
  readonly creativeReview?: CreativeReview
  /** Whether a new account waits for approval unless the brand's brand.json lists its operator. */
  readonly verifyOperators?: boolean
  /** Whether the publisher keeps plans of its buyers and decides on their spending as a governance agent; absent = no. */
  readonly governanceAgent?: boolean
  /** For how long finalized proposals hold inventory (hours), and the share (per cent) of a product's day that one buyer may hold; absent = 48 and 25. */
  readonly holds?: { readonly hours?: number; readonly share?: number }
  /** IANA time zone of the publisher's days, months and dayparts; absent = that of the deployment. */
  readonly timeZone?: string
  /** ISO 4217 currency that the publisher plans in; absent = USD. */
  readonly currency?: string
  /** Release lines of the protocol that the publisher offers (`3.1`); absent = all that the server has. */
  readonly releases?: readonly string[]
  /** Which tools for buying are listed; absent = both families. */
  readonly lifecycle?: Lifecycle
  /** Whose sign-in to the console needs a second factor, beside what the deployment asks for; absent = no role's. */
  readonly secondFactor?: FactorPolicy
  /** Signing profile of this publisher; absent = that of the deployment. */
  readonly signingProfile?: SigningProfileName
}

/** Release line whose rules on static credentials apply: from 3.1 on they are for reads only (AdCP authentication page). */
export const SIGNING_PROFILES = ['3.0', '3.1', '3.2'] as const
export type SigningProfileName = (typeof SIGNING_PROFILES)[number]

/** Keys of a suspended buyer do not work until it is active again. */
export const BUYER_STATUSES = ['active', 'suspended'] as const
export type BuyerStatus = (typeof BUYER_STATUSES)[number]

/** Who reviews creatives: the rules of this server, or a person. */
export const CREATIVE_REVIEWS = ['automatic', 'manual'] as const
export type CreativeReview = (typeof CREATIVE_REVIEWS)[number]

/** What the text beside the structured content of an answer is. */
export const TEXT_FORMS = ['summary', 'json'] as const
export type TextForm = (typeof TEXT_FORMS)[number]

/** Names one principal: whose a record is. */
export interface PrincipalRef {
  readonly tenantId: string
  readonly principalId: string
}

/** A principal with what decides which accounts, creatives and products it has. */
export interface ActingPrincipal extends PrincipalRef {
  /** Acts on simulated money only and may use the compliance controller of a sandbox server. */
  readonly sandbox: boolean
  /**
   * Whether the exceptions hold that only the official storyboards need (DIVERGENCES, `--conformance`): set for sandbox principals of a
   * server with `conformance`, never otherwise. Then an account may be used without being declared, its accounts count as one, and it has
   * the product that the official suite buys without seeding it.
   */
  readonly conformance?: boolean | undefined
}

/** The authenticated agent: the only source of the tenant (AdCP authentication page). */
export interface Principal extends ActingPrincipal {
  readonly name: string
  readonly agentUrl: string | undefined
  /** Permission families, e.g. `adcp:products`; `adcp:*` grants all. The narrower of key and principal. */
  readonly scopes: readonly string[]
  /** The one list that a fetch token is for; such a caller acts for no principal and sees nothing else. */
  readonly confinedTo?: string
  /** Held to the rules of profile 3.1 whatever the publisher's profile: an agent that has moved to signing already. */
  readonly signingRequired: boolean
  /** How answers read as text over MCP; absent: as a summary. For clients that read the text as JSON although they speak of newer revisions. */
  readonly textForm?: TextForm
  /** Billing parties that the publisher agreed with it; absent: all that the publisher accepts. */
  readonly billing?: readonly BillingParty[]
  /** How the caller proved itself; signing policy depends on it. */
  readonly mechanism: 'bearer' | 'basic' | 'jwt' | 'signature' | 'mtls'
  /** When an opaque key ends (ISO 8601), null for never; undefined for every other credential. */
  readonly keyExpiresAt?: string | null
  /** Identifier of the credential for logs: a key id or a keyid, never the secret. */
  readonly credentialId: string
}

/** Whether any of the granted scopes covers `scope`. A family covers its parts: `adcp:lists` includes `lists:fetch`. */
export function hasScope(granted: readonly string[], scope: string): boolean {
  const family = scope.split(':', 1)[0]
  return granted.includes('adcp:*') || granted.includes(`adcp:${scope}`) || granted.includes(`adcp:${family}`)
}

/** The scopes that both lists grant. */
export function intersectScopes(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a.includes('adcp:*')) return b
  if (b.includes('adcp:*')) return a
  return a.filter((scope) => b.includes(scope))
}

/** AdCP enums/billing-party. */
export const BILLING_PARTIES = ['operator', 'agent', 'advertiser'] as const
export type BillingParty = (typeof BILLING_PARTIES)[number]
