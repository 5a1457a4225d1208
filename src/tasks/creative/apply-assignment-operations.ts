import type { AssignmentOperation } from '../../domain/creative/assignment-operations.ts'
import type { CreativeContent } from '../../domain/creative/creative.ts'
import { assignmentOf } from '../../domain/media-buy/assignments-in.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { addAssignment, removeAssignment } from '../../store/creative/change-assignments.ts'
import { assignmentsOf } from '../../store/creative/creative-assignments.ts'
import { findCreatives } from '../../store/creative/creatives.ts'
import { type AssignmentReport, assignmentRefusal, packagesForAssignment } from './assign-creatives.ts'

/**
 * Carries out the operations of a request in their order, all of them or none (AdCP sync_creatives, "Sync modes"). Gives a report for every creative that one
 * names, with the packages that it was put on. Throws PACKAGE_NOT_FOUND, CREATIVE_NOT_FOUND, INVALID_STATE and what else keeps a creative off a package, with
 * the member that is wrong: the transaction takes back what was done before.
 */
export async function applyAssignmentOperations(
  context: InTransaction<AuthenticatedContext>,
  operations: readonly AssignmentOperation[],
  options: { readonly accountId: string; readonly dryRun: boolean; readonly upcoming: ReadonlyMap<string, CreativeContent> },
): Promise<ReadonlyMap<string, AssignmentReport>> {
  const { tx, principal, now } = context
  const { accountId, dryRun } = options
  const ids = operations.flatMap((each) => [each.creative_id, each.replaces_creative_id ?? each.creative_id])
  const library = await findCreatives(tx, principal, accountId, [...new Set(ids)])
  const assigned = await assignedTo(context, operations)
  const packageOf = packagesForAssignment(context, accountId)
  const reports = new Map(ids.map((id) => [id, { assignedTo: new Set<string>() }]))

  const take = async ({ package_id: packageId, field }: AssignmentOperation, creativeId: string, member: string) => {
    if (!assigned.get(packageId)?.delete(creativeId))
      throw new AdcpError('INVALID_STATE', `${field}.${member} is not assigned to the package`, {
        field: `${field}.${member}`,
        suggestion: 'list_creatives shows the assignments of a creative',
      })
    reports.get(creativeId)?.assignedTo.delete(packageId)
    if (!dryRun) await removeAssignment(tx, principal, { packageId, creativeId }, now)
  }
  const put = async (wire: AssignmentOperation) => {
    const { creative_id: creativeId, package_id: packageId, field } = wire
    const isAssigned = assigned.get(packageId)?.has(creativeId) === true
    const creative = { creativeId, known: library.get(creativeId), sent: options.upcoming.get(creativeId), isAssigned }
    const refusal = await assignmentRefusal(context, packageOf, packageId, creative)
    if (refusal) throw at(refusal, field)
    if (!dryRun) await addAssignment(tx, principal, packageId, assignmentOf(wire), now)
    assigned.get(packageId)?.add(creativeId)
    reports.get(creativeId)?.assignedTo.add(packageId)
  }
  for (const each of operations) {
    const found = await packageOf(each.package_id)
    if (found instanceof AdcpError) throw at(found, each.field)
    if (each.operation === 'unassign') await take(each, each.creative_id, 'creative_id')
    if (each.operation === 'unassign') continue
    // The creative that comes is judged first, so that a refusal names it.
    await put(each)
    const { replaces_creative_id: before } = each
    if (before !== undefined && before !== each.creative_id) await take(each, before, 'replaces_creative_id')
  }
  return new Map([...reports].map(([id, { assignedTo }]) => [id, { assignedTo: [...assignedTo], errors: {} }]))
}

/** Ids of the creatives that are assigned to the packages of operations, by package. */
async function assignedTo(
  { tx, principal }: InTransaction<AuthenticatedContext>,
  operations: readonly AssignmentOperation[],
): Promise<ReadonlyMap<string, Set<string>>> {
  const packageIds = [...new Set(operations.map(({ package_id: id }) => id))]
  const known = await assignmentsOf(tx, principal, packageIds)
  return new Map(packageIds.map((id) => [id, new Set(known.get(id)?.map(({ creativeId }) => creativeId))]))
}

/** A refusal with its place in the request. */
function at(refusal: AdcpError, field: string): AdcpError {
  const place = `${field}.${refusal.field ?? 'package_id'}`
  return new AdcpError(refusal.code, `${place}: ${refusal.message}`, {
    field: place,
    ...(refusal.details && { details: refusal.details }),
    ...(refusal.suggestion !== undefined && { suggestion: refusal.suggestion }),
  })
}
