import type { ActingPrincipal, PrincipalRef } from '../identity/principal.ts'
import type { AccountName } from '../party.ts'
import type { AccountDocument, AccountStatus } from './account-document.ts'
import type { AccountPermission } from './permission.ts'

/** The billing relationship between an agent and the publisher. `document` is what it says of itself. */
export interface Account {
  readonly tenantId: string
  readonly accountId: string
  /** The agent that declared it. Others may buy on it by grant; what an agent creates there only it sees. */
  readonly principalId: string
  readonly naturalKey: string
  readonly status: AccountStatus
  readonly sandbox: boolean
  /** A sandbox account that was opened by a reference alone, without sync_accounts (`conformance` only): usable, never listed. */
  readonly implicit: boolean
  readonly document: AccountDocument
  /** What the calling agent may do with it; absent = everything. */
  readonly permission?: AccountPermission
  readonly revision: number
}

export interface NaturalKey {
  readonly brandDomain: string
  readonly brandId: string | undefined
  readonly operator: string
  readonly sandbox: boolean
}

/** The natural key of a reference, or undefined when it names a seller-assigned id. */
export function naturalKeyOf(reference: AccountName): NaturalKey | undefined {
  if (!('brand' in reference)) return undefined
  return {
    brandDomain: reference.brand.domain.toLowerCase(),
    brandId: reference.brand.brand_id,
    operator: reference.operator.toLowerCase(),
    sandbox: reference.sandbox === true,
  }
}

/** One string for the unique index. JSON keeps parts apart whatever characters they hold. */
export function naturalKeyText(key: NaturalKey): string {
  return JSON.stringify([key.brandDomain, key.brandId ?? null, key.operator, key.sandbox])
}

/**
 * What a call may touch by id: one account of one agent. With `conformance` a sandbox agent reaches all of its own simulated accounts at
 * once (the official suite buys under one account and looks up under another); that never crosses to another agent.
 */
export interface AccountScope extends PrincipalRef {
  /** Undefined: every account of the agent. */
  readonly accountId: string | undefined
}

/** The accounts that a call may touch; a request that names none may touch all accounts of its agent. */
export function accountScopeOf(
  principal: PrincipalRef & Pick<ActingPrincipal, 'conformance'>,
  account: Account | undefined,
): AccountScope {
  return {
    tenantId: principal.tenantId,
    principalId: principal.principalId,
    accountId: principal.conformance ? undefined : account?.accountId,
  }
}

/** A sandbox account named by an id that was never issued: it sees what the compliance controller seeded, and no products of the publisher. */
export function isBlank(account: Account | undefined): boolean {
  return account?.implicit === true && account.document.brand === undefined
}

/** The brand whose account has an offer of its own in official stories: publishers have none of it. */
const SUITE_OVERLAY = 'account-overlay.example'

/** Whether answers about an offer are those of the account alone: only official stories have such an account (`conformance`). */
export function hasSuiteOverlay(account: Account | undefined, { conformance }: Pick<ActingPrincipal, 'conformance'>): boolean {
  return conformance === true && account?.document.brand?.domain === SUITE_OVERLAY
}
