import { hash } from 'node:crypto'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'

export interface ApprovalDocument {
  readonly token?: string | undefined
  readonly conditions: readonly object[]
  readonly findings: readonly object[]
  readonly nextCheck?: string | undefined
}

export interface SpendApproval extends ApprovalDocument {
  readonly resourceId: string
  readonly agentUrl: string
  readonly checkId: string
  readonly accountId: string
  readonly planId: string
  readonly tool: string
  readonly phase: string
  readonly expiresAt: string
}

/** Keeps one agent's yes. The same check recorded again changes nothing. */
export async function insertSpendApproval(tx: Db, owner: PrincipalRef, approval: SpendApproval, now: Date): Promise<void> {
  const { resourceId, agentUrl, checkId, accountId, planId, tool, phase, expiresAt, token, conditions, findings, nextCheck } =
    approval
  const document: ApprovalDocument = { token, conditions, findings, nextCheck }
  await tx
    .insertInto('spend_approvals')
    .values({
      tenant_id: owner.tenantId,
      resource_id: resourceId,
      agent_url: agentUrl,
      check_id: checkId,
      principal_id: owner.principalId,
      account_id: accountId,
      plan_id: planId,
      tool,
      phase,
      document: JSON.stringify(document),
      expires_at: expiresAt,
      created_at: now.toISOString(),
    })
    .onConflict((c) => c.doNothing())
    .execute()
}

/** The approvals of a thing, newest first. */
export async function listSpendApprovals(db: Db, tenantId: string, resourceId: string): Promise<SpendApproval[]> {
  const rows = await db
    .selectFrom('spend_approvals')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('resource_id', '=', resourceId)
    .orderBy('created_at', 'desc')
    .orderBy('check_id')
    .execute()
  return rows.map((row) => {
    const document: ApprovalDocument = JSON.parse(row.document)
    return {
      ...document,
      resourceId: row.resource_id,
      agentUrl: row.agent_url,
      checkId: row.check_id,
      accountId: row.account_id,
      planId: row.plan_id,
      tool: row.tool,
      phase: row.phase,
      expiresAt: row.expires_at,
    }
  })
}

/** Keeps a token that came with a request, verified or not: auditors decode it (AdCP signed governance context). */
export async function insertPresentedToken(
  tx: Db,
  owner: PrincipalRef,
  presented: { readonly resourceId: string; readonly tool: string; readonly token: string },
  now: Date,
): Promise<void> {
  const { resourceId, tool, token } = presented
  await tx
    .insertInto('governance_tokens')
    .values({
      tenant_id: owner.tenantId,
      token_hash: hash('sha256', token, 'base64url'),
      resource_id: resourceId,
      principal_id: owner.principalId,
      tool,
      token,
      created_at: now.toISOString(),
    })
    .onConflict((c) => c.doNothing())
    .execute()
}

/** The tokens that came with requests about a thing, oldest first. */
export async function listPresentedTokens(db: Db, tenantId: string, resourceId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('governance_tokens')
    .select('token')
    .where('tenant_id', '=', tenantId)
    .where('resource_id', '=', resourceId)
    .orderBy('created_at')
    .execute()
  return rows.map(({ token }) => token)
}

/** What makes a token itself: an issuer gives each of its tokens for one audience its own `jti` (RFC 7519 §4.1.7). */
export interface TokenIdentity {
  readonly iss: string
  readonly aud: string
  readonly jti: string
}

export async function isTokenUsed(db: Db, { iss, aud, jti }: TokenIdentity): Promise<boolean> {
  const row = await db
    .selectFrom('used_governance_tokens')
    .select('jti')
    .where('iss', '=', iss)
    .where('aud', '=', aud)
    .where('jti', '=', jti)
    .executeTakeFirst()
  return row !== undefined
}

/** Uses a token up, until it can no longer be valid. False when it was used before. Forgets tokens that are dead. */
export async function useToken(
  tx: Db,
  { iss, aud, jti }: TokenIdentity,
  expiresAtSeconds: number,
  nowSeconds: number,
): Promise<boolean> {
  await tx.deleteFrom('used_governance_tokens').where('expires_at', '<', Math.floor(nowSeconds)).execute()
  const rows = await tx
    .insertInto('used_governance_tokens')
    .values({ iss, aud, jti, expires_at: Math.ceil(expiresAtSeconds) })
    .onConflict((c) => c.doNothing())
    .returning('jti')
    .execute()
  return rows.length > 0
}
