import type { Selectable } from 'kysely'
import { ESCALATION_STATES, type Escalation } from '../../domain/governance/escalation.ts'
import type { ActionRecord, Approved } from '../../domain/governance/governed-action.ts'
import type { Commitment, PurchaseType } from '../../domain/governance/plan.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { giveWay, yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import { pageOfSize } from '../page-size.ts'
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

/** Rows of one read, of which a page has a megabyte at most. */
const PAGE = 500
const DOCUMENTS = ['approved', 'escalation', 'governance_context', 'caller', 'seller', 'seller_reference'] as const

/** Does something with each action of a plan, oldest first; `bytes` is what its texts have. They are read in pages, between which others are served. */
export async function eachAction(
  db: Db,
  owner: PrincipalRef,
  planId: string,
  visit: (action: ActionRecord, bytes: number) => void,
): Promise<void> {
  const inOrder = ofAgent(db, owner).where('plan_id', '=', planId).orderBy('created_at').orderBy('action_id')
  for (let last: Row | undefined; ; ) {
    const { created_at: at, action_id: id } = last ?? { created_at: '', action_id: '' }
    const page = inOrder.where((eb) => eb(eb.refTuple('created_at', 'action_id'), '>', eb.tuple(at, id)))
    const { rows, isCut } = await pageOfSize(page, DOCUMENTS, PAGE)
    for (const row of rows) {
      visit(
        actionOf(row),
        DOCUMENTS.reduce((sum, column) => sum + (row[column]?.length ?? 0), 0),
      )
      const others = giveWay()
      if (others) await others
    }
    last = rows.at(-1)
    if (!isCut) return
    await yieldToEventLoop()
  }
}

/** What was committed under some plans of an agent: one of each action that committed anything, without its channels. */
export async function listCommitments(db: Db, owner: PrincipalRef, planIds: readonly string[]): Promise<Commitment[]> {
  if (planIds.length === 0) return []
  const found: Commitment[] = []
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('governance_actions')
      .select(['action_id', 'purchase_type', 'caller', 'seller', 'committed_micros'])
      .where('tenant_id', '=', owner.tenantId)
      .where('principal_id', '=', owner.principalId)
      .where('plan_id', 'in', planIds)
      .where('committed_micros', '>', 0)
      .where('action_id', '>', after)
      .orderBy('action_id')
      .limit(PAGE)
      .execute()
    for (const row of rows)
      found.push({
        actionId: row.action_id,
        purchaseType: row.purchase_type,
        caller: row.caller,
        seller: row.seller,
        committedMicros: Number(row.committed_micros),
        channels: [],
      })
    if (rows.length < PAGE) return found
    after = rows.at(-1)?.action_id ?? ''
    await yieldToEventLoop()
  }
}

/** What is committed under some plans, in micros, without one action. Others are served between plans. */
export async function committedUnder(
  db: Db,
  owner: PrincipalRef,
  planIds: readonly string[],
  exceptActionId: string,
): Promise<number> {
  let micros = 0
  // Plan by plan: pages over several plans would be put in order anew for each page.
  for (const planId of planIds) {
    await giveWay()
    for (const { actionId, committedMicros } of await listCommitments(db, owner, [planId]))
      if (actionId !== exceptActionId) micros += committedMicros
  }
  return micros
}

/** An action of a plan by its id. */
export async function findAction(
  db: Db,
  owner: PrincipalRef,
  planId: string,
  actionId: string,
): Promise<ActionRecord | undefined> {
  const row = await ofAgent(db, owner).where('plan_id', '=', planId).where('action_id', '=', actionId).executeTakeFirst()
  return row && actionOf(row)
}

/** What the newest action of a plan and a kind of purchase is asked for by; nothing more: the newest at all. */
export interface WantedAction {
  readonly purchaseType: PurchaseType
  /** The same question, of which nothing was bought yet. */
  readonly openKey?: string
  /** Approved before. */
  readonly approved?: true
  /** The last token, or opaque context, that it was given. */
  readonly governanceContext?: string
}

/** The newest action of a plan that is as wanted. */
export async function findNewestAction(
  db: Db,
  owner: PrincipalRef,
  planId: string,
  { purchaseType, openKey, approved, governanceContext }: WantedAction,
): Promise<ActionRecord | undefined> {
  let wanted = ofAgent(db, owner).where('plan_id', '=', planId).where('purchase_type', '=', purchaseType)
  if (openKey !== undefined)
    wanted = wanted.where('action_key', '=', openKey).where('committed_micros', '<=', 0).where('seller_reference', 'is', null)
  if (approved) wanted = wanted.where('approved', 'is not', null)
  if (governanceContext !== undefined) wanted = wanted.where('governance_context', '=', governanceContext)
  const row = await wanted.orderBy('created_at', 'desc').orderBy('action_id', 'desc').limit(1).executeTakeFirst()
  return row && actionOf(row)
}

/** Which actions of an agent have one of these as their last token, or opaque context. */
export async function listActionsOfContexts(
  db: Db,
  owner: PrincipalRef,
  contexts: readonly string[],
): Promise<Pick<ActionRecord, 'planId' | 'actionId'>[]> {
  if (contexts.length === 0) return []
  const found: Pick<ActionRecord, 'planId' | 'actionId'>[] = []
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('governance_actions')
      .select(['plan_id as planId', 'action_id as actionId'])
      .where('tenant_id', '=', owner.tenantId)
      .where('principal_id', '=', owner.principalId)
      .where('governance_context', 'in', contexts)
      .where('action_id', '>', after)
      .orderBy('action_id')
      .limit(PAGE)
      .execute()
    for (const row of rows) found.push(row)
    if (rows.length < PAGE) return found
    after = rows.at(-1)?.actionId ?? ''
    await yieldToEventLoop()
  }
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

/** Where a page of escalations begins: after this one. */
export interface EscalationPosition {
  readonly createdAt: string
  readonly actionId: string
}

/** Actions of a tenant that wait for a person, oldest first, a megabyte of them at most; `decided` ones too when asked for. */
export async function listEscalated(
  db: Db,
  tenantId: string,
  page: { readonly decided: boolean; readonly limit: number; readonly after?: EscalationPosition | undefined },
): Promise<{ readonly actions: readonly ActionRecord[]; readonly isCut: boolean }> {
  const { createdAt, actionId } = page.after ?? { createdAt: '', actionId: '' }
  const listed = db
    .selectFrom('governance_actions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('escalation_state', 'in', page.decided ? ESCALATION_STATES : ['pending'])
    .where((eb) => eb(eb.refTuple('created_at', 'action_id'), '>', eb.tuple(createdAt, actionId)))
    .orderBy('created_at')
    .orderBy('action_id')
  const { rows, isCut } = await pageOfSize(listed, DOCUMENTS, page.limit)
  return { actions: rows.map(actionOf), isCut }
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
