import type { AuditEntry } from '../../domain/governance/audit-chain.ts'
import type { Plan } from '../../domain/governance/plan.ts'
import type { Principal, PrincipalRef } from '../../domain/identity/principal.ts'
import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import type { Db } from '../../store/database.ts'
import { findEntry } from '../../store/governance/governance-log.ts'
import { findPlans, planNotFound } from '../../store/governance/governance-plans.ts'

/** Who asks: the buyer's agent, or the seller that its token is addressed to. */
export type Checker = Pick<Principal, 'tenantId' | 'principalId' | 'sandbox' | 'agentUrl'>

/** The check that a token of this agent was given out for. */
export interface KnownContext {
  readonly entry: AuditEntry & PrincipalRef
  /** The seller that the token is addressed to. */
  readonly audience: string
}

/**
 * The check behind a token. Whether it is ours is settled by the record: the log has to hold exactly this token. Undefined for anything else,
 * such as an opaque value of an agent before 3.0.
 */
export async function findContext(db: Db, tenantId: string, token: string | undefined): Promise<KnownContext | undefined> {
  if (token?.startsWith(DENIAL)) return findDenial(db, tenantId, token.slice(DENIAL.length))
  const claims = claimsOf(token)
  const [checkId, audience] = [textOf(claims, 'check_id'), textOf(claims, 'aud')]
  if (checkId === undefined || audience === undefined) return undefined
  const entry = await findEntry(db, tenantId, checkId)
  return entry && entry.document.governanceContext === token ? { entry, audience } : undefined
}

/** Begins the context of a denial. No JWS begins so, which is why none of them passes for an approval. */
const DENIAL = 'denied:'

/** The context of a denial: it only says which check to go on from (AdCP check_governance, lifecycle correlator). */
export function denialContext(checkId: string): string {
  return `${DENIAL}${checkId}`
}

/** The denied check that a context refers to. It is addressed to nobody, so that no seller reaches a plan by it. */
async function findDenial(db: Db, tenantId: string, checkId: string): Promise<KnownContext | undefined> {
  const entry = await findEntry(db, tenantId, checkId)
  return entry?.kind === 'check' && entry.document.status === 'denied' ? { entry, audience: '' } : undefined
}

/** A plan that the caller may ask about, whose it is, and the check that its token belongs to. */
export interface ReachedPlan {
  readonly owner: PrincipalRef
  readonly plan: Plan
  readonly known: KnownContext | undefined
}

/**
 * A plan of the caller's own, or one that it holds a token for as the seller that the token is addressed to: that is how a seller's check
 * before execution reaches it. Throws PLAN_NOT_FOUND for every other plan, alike whether it exists.
 */
export async function reachPlan(db: Db, principal: Checker, planId: string, token: string | undefined): Promise<ReachedPlan> {
  const found = await findContext(db, principal.tenantId, token)
  const known = found?.entry.planId === planId ? found : undefined
  const [own] = await findPlans(db, principal, [planId])
  if (own) {
    const isOwn = known?.entry.principalId === principal.principalId
    return { owner: ownerOf(principal), plan: own, known: isOwn ? known : undefined }
  }
  if (!known || principal.agentUrl === undefined || known.audience !== principal.agentUrl) throw planNotFound()
  const [granted] = await findPlans(db, known.entry, [planId])
  if (!granted) throw planNotFound()
  return { owner: ownerOf(known.entry), plan: granted, known }
}

function ownerOf({ tenantId, principalId }: PrincipalRef): PrincipalRef {
  return { tenantId, principalId }
}

/** `jti` of a token of ours; undefined without one. */
export function tokenIdOf(token: string | undefined): string | undefined {
  return textOf(claimsOf(token), 'jti')
}

/** Claims of a compact JWS, unverified: they only say where to look. */
function claimsOf(token: string | undefined): object | undefined {
  const [, body, , ...more] = token?.split('.') ?? []
  if (body === undefined || more.length > 0) return undefined
  const claims = foreignJsonIn(Buffer.from(body, 'base64url').toString('utf8'))
  return typeof claims === 'object' && claims !== null ? claims : undefined
}

function textOf(claims: object | undefined, name: string): string | undefined {
  const value = claims && Object.entries(claims).find(([key]) => key === name)?.[1]
  return typeof value === 'string' ? value : undefined
}
