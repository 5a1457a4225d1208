import type { Selectable } from 'kysely'
import { ESCALATION_STATES, type Escalation } from '../../domain/governance/escalation.ts'
import type { ActionRecord, Approved } from '../../domain/governance/governed-action.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'
import type { GovernanceActionTables } from './rows.ts'

type Row = Selectable<GovernanceActionTables['governance_actions']>

/** Writes an action whole; it belongs to its plan's transaction. */
export async function saveAction(tx: Db, tenantId: string, action: ActionRecord, now: Date): Promise<void> {
  const { escalation } = action
  const values = {
    action_key: action.actionKey,
    purchase_type: action.purchaseType,
    caller: action.caller,
    seller: action.seller,
    status: action.status,
    committed_micros: action.committedMicros,
    seller_reference: action.sellerReference ?? null,
    governance_context: action.governanceContext,
    approved: action.approved ? JSON.stringify(action.approved) : null,
    escalation: escalation ? JSON.stringify(escalation) : null,
    escalation_state: escalation ? (escalation.review?.resolution ?? ('pending' as const)) : null,
    escalated_check_id: escalation?.checkId ?? null,
    counterproposals: action.counterproposals,
    check_count: action.checkCount,
    next_check_at: action.nextCheckAt ?? null,
    updated_at: now.toISOString(),
  }
  await tx
    .insertInto('governance_actions')
    .values({
      tenant_id: tenantId,
      principal_id: action.principalId,
      plan_id: action.planId,
      action_id: action.actionId,
      ...values,
      created_at: action.createdAt,
    })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'principal_id', 'plan_id', 'action_id']).doUpdateSet(values))
    .execute()
}

/** Every action of some plans of an agent, oldest first. */
export async function listActions(db: Db, owner: PrincipalRef, planIds: readonly string[]): Promise<ActionRecord[]> {
  if (planIds.length === 0) return []
  const rows = await ofAgent(db, owner).where('plan_id', 'in', planIds).orderBy('created_at').orderBy('action_id').execute()
  return rows.map(actionOf)
}

/** Actions of an agent whose last token, or opaque context, is one of these. */
export async function findActionsByContext(db: Db, owner: PrincipalRef, contexts: readonly string[]): Promise<ActionRecord[]> {
  if (contexts.length === 0) return []
  const rows = await ofAgent(db, owner).where('governance_context', 'in', contexts).execute()
  return rows.map(actionOf)
}

/** Deletes what a plan committed and its pending escalations: a sandbox starts over. Its log stays. */
export async function clearActions(tx: Db, { tenantId, principalId }: PrincipalRef, planId: string): Promise<void> {
  await tx
    .deleteFrom('governance_actions')
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .where('plan_id', '=', planId)
    .execute()
}

/** Actions of a tenant that wait for a person, oldest first; `decided` ones too when asked for. */
export async function listEscalated(db: Db, tenantId: string, decided: boolean): Promise<ActionRecord[]> {
  const rows = await db
    .selectFrom('governance_actions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('escalation_state', 'in', decided ? ESCALATION_STATES : ['pending'])
    .orderBy('created_at')
    .execute()
  return rows.map(actionOf)
}

/** The action that a denied check of a tenant escalated. */
export async function findEscalated(db: Db, tenantId: string, checkId: string): Promise<ActionRecord | undefined> {
  const row = await db
    .selectFrom('governance_actions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('escalated_check_id', '=', checkId)
    .executeTakeFirst()
  return row && actionOf(row)
}

function ofAgent(db: Db, { tenantId, principalId }: PrincipalRef) {
  return db.selectFrom('governance_actions').selectAll().where('tenant_id', '=', tenantId).where('principal_id', '=', principalId)
}

function actionOf(row: Row): ActionRecord {
  const approved: Approved | undefined = row.approved === null ? undefined : JSON.parse(row.approved)
  const escalation: Escalation | undefined = row.escalation === null ? undefined : JSON.parse(row.escalation)
  return {
    planId: row.plan_id,
    principalId: row.principal_id,
    actionId: row.action_id,
    actionKey: row.action_key,
    purchaseType: row.purchase_type,
    caller: row.caller,
    seller: row.seller,
    status: row.status,
    committedMicros: Number(row.committed_micros),
    sellerReference: row.seller_reference ?? undefined,
    governanceContext: row.governance_context,
    approved,
    escalation,
    channels: approved?.channels ?? [],
    counterproposals: row.counterproposals,
    checkCount: row.check_count,
    nextCheckAt: row.next_check_at ?? undefined,
    createdAt: row.created_at,
  }
}
