import { adjustmentsIn, OF_ADJUSTMENTS, type ReviewedAdjustment } from '../../domain/governance/adjustment.ts'
import { type AuditEntry, ChainWalk } from '../../domain/governance/audit-chain.ts'
import { AuditTally } from '../../domain/governance/audit-summary.ts'
import type { ActionRecord } from '../../domain/governance/governed-action.ts'
import { Newest, type Room } from '../../domain/governance/newest.ts'
import { committedByChannel, type PurchaseType } from '../../domain/governance/plan.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../../store/database.ts'
import { eachAction } from '../../store/governance/governance-actions.ts'
import { eachEntry } from '../../store/governance/governance-log.ts'

/** What is asked of the log of a plan; undefined: no filter. */
export interface AuditFilter {
  readonly actionIds: ReadonlySet<string> | undefined
  readonly types: ReadonlySet<string> | undefined
}

/** A plan's actions and log, read once: the figures are of all of them, what is kept is as much as there is room for. */
export interface ReadAudit {
  /** Micros that all actions have committed. */
  readonly committed: number
  readonly byChannel: ReadonlyMap<string | undefined, number>
  readonly actions: Newest<ActionRecord>
  readonly tally: AuditTally
  readonly entries: Newest<AuditEntry>
  readonly chain: ChainWalk
  readonly adjustments: readonly ReviewedAdjustment[]
}

/** Reads actions and log of a plan in turns. Entries about the plan as a whole stay unless a filter asks for something narrower. */
export async function readAudit(
  db: Db,
  owner: PrincipalRef,
  planId: string,
  { actionIds, types }: AuditFilter,
  { entries: showsEntries, room }: { readonly entries: boolean; readonly room: Room },
): Promise<ReadAudit> {
  const actions = new Newest<ActionRecord>(room)
  const byChannel = new Map<string | undefined, number>()
  const ofTypes = new Set<string>()
  const isWanted = (actionId: string) => (actionIds?.has(actionId) ?? true) && (types === undefined || ofTypes.has(actionId))
  const noteType = (actionId: string, type: PurchaseType) => (types?.has(type) ? ofTypes.add(actionId) : ofTypes.delete(actionId))
  let committed = 0
  await eachAction(db, owner, planId, (action, bytes) => {
    committed += action.committedMicros
    for (const [channel, micros] of committedByChannel([action])) byChannel.set(channel, (byChannel.get(channel) ?? 0) + micros)
    if (types) noteType(action.actionId, action.purchaseType)
    if (isWanted(action.actionId)) actions.add(action, bytes)
  })
  const tally = new AuditTally(room)
  const entries = new Newest<AuditEntry>(room)
  const chain = new ChainWalk()
  const ofAdjustments: AuditEntry[] = []
  await eachEntry(db, owner, planId, (entry, bytes) => {
    const { actionId, document } = entry
    if (types && document.purchaseType !== undefined) noteType(actionId, document.purchaseType)
    if (OF_ADJUSTMENTS.has(entry.kind)) ofAdjustments.push(entry)
    if (showsEntries) chain.follow(entry)
    if (!isWanted(actionId)) return
    tally.add(entry)
    if (showsEntries) entries.add(entry, bytes)
  })
  return { committed, byChannel, actions, tally, entries, chain, adjustments: adjustmentsIn(ofAdjustments) }
}
