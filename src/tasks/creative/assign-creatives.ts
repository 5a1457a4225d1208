import type { SyncCreativesRequest } from '@adcp/sdk'
import { libraryProvenanceFault } from '../../domain/creative/check-provenance.ts'
import type { CreativeContent } from '../../domain/creative/creative.ts'
import type { FormatKey } from '../../domain/creative/formats/format-id.ts'
import { assignmentFault } from '../../domain/creative/lifecycle.ts'
import { takesFormat } from '../../domain/creative/resolve-format.ts'
import { deadlineText, isPastDeadline } from '../../domain/media-buy/creative-deadline.ts'
import { isTerminal, mediaBuyStatus } from '../../domain/media-buy/lifecycle.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { assignmentOf } from '../../domain/media-buy/update.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { addAssignment, assignmentsOf } from '../../store/creative/creative-assignments.ts'
import { findCreatives } from '../../store/creative/creatives.ts'
import { findMediaBuyOfPackage } from '../../store/media-buy/media-buys.ts'
import { unservedFormat } from '../served-products.ts'
import { policyOfProduct } from './provenance-policies.ts'

type WireAssignment = NonNullable<SyncCreativesRequest['assignments']>[number]

/** What became of the assignments of one creative. */
export interface AssignmentReport {
  readonly assignedTo: string[]
  /** Public message by package id. */
  readonly errors: Record<string, string>
}

/**
 * Assigns creatives to packages, each on its own: a package that cannot be had is reported and stops no other. Reports come by
 * creative id, for every creative that an assignment names.
 */
export async function assignCreatives(
  context: InTransaction<AuthenticatedContext>,
  assignments: readonly WireAssignment[],
  options: { readonly accountId: string; readonly dryRun: boolean; readonly upcoming: ReadonlyMap<string, FormatKey> },
): Promise<ReadonlyMap<string, AssignmentReport>> {
  const { tx, principal, now } = context
  const ids = [...new Set(assignments.map((assignment) => assignment.creative_id))]
  const library = await findCreatives(tx, principal, options.accountId, ids)
  const reports = new Map(ids.map((id) => [id, { assignedTo: [], errors: {} } as AssignmentReport]))
  for (const wire of assignments) {
    const report = reports.get(wire.creative_id)
    const sent = options.upcoming.get(wire.creative_id)
    const known = library.get(wire.creative_id)
    const content = known?.content
    const formatId = sent ?? content?.formatId
    const rejected = known && assignmentFault(known, 'creative_id')
    const refusal = formatId
      ? (rejected?.message ??
        (await refusalOf(
          context,
          wire.package_id,
          { creativeId: wire.creative_id, formatId, stored: sent ? undefined : content },
          options.accountId,
        )))
      : 'there is no such creative in this account'
    if (refusal !== undefined && report) report.errors[wire.package_id] = refusal
    if (refusal !== undefined) continue
    if (!options.dryRun) await addAssignment(tx, principal, wire.package_id, assignmentOf(wire), now)
    report?.assignedTo.push(wire.package_id)
  }
  return reports
}

/** A creative that goes on a package. One that comes with the request was held to the policies of its packages before; a stored one was not. */
interface Assigned {
  readonly creativeId: string
  readonly formatId: FormatKey
  readonly stored: CreativeContent | undefined
}

/** Why a creative cannot go on a package; undefined when it can. */
async function refusalOf(
  context: InTransaction<AuthenticatedContext>,
  packageId: string,
  { creativeId, formatId, stored }: Assigned,
  accountId: string,
): Promise<string | undefined> {
  const { tx, principal, now } = context
  const buy = await findMediaBuyOfPackage(tx, principal, packageId)
  const pkg = buy?.packages.find((candidate) => candidate.packageId === packageId)
  // A package of another account is no different from one that does not exist.
  if (!buy || !pkg || !(principal.conformance || buy.accountId === accountId)) return 'there is no such package'
  if (pkg.cancellation) return 'the package is canceled'
  const status = await statusOf(context, buy, now)
  if (isTerminal(status)) return `the media buy is ${status}`
  if (isPastDeadline(pkg, now) && !(await isAssigned(context, packageId, creativeId))) return deadlineText(pkg)
  const { agentUrl } = context.services.wiring
  const taken = takesFormat(pkg.formatIds, formatId, { agentUrl, conformance: principal.conformance === true })
  if (!taken) return 'the package does not take creatives of this format'
  const snapshot = await context.services.products.get(context.db, context.tenant, principal)
  const unserved = unservedFormat(context, snapshot, { productId: pkg.productId, formatId })
  if (unserved !== undefined) return unserved
  if (!stored) return undefined
  return libraryProvenanceFault(stored, await policyOfProduct(context, pkg.productId), 'creative_id')?.message
}

async function isAssigned({ tx, principal }: InTransaction<AuthenticatedContext>, packageId: string, creativeId: string) {
  const assigned = (await assignmentsOf(tx, principal, [packageId])).get(packageId) ?? []
  return assigned.some((each) => each.creativeId === creativeId)
}

async function statusOf({ tx, principal }: InTransaction<AuthenticatedContext>, buy: MediaBuy, now: Date) {
  const packageIds = buy.packages.map((pkg) => pkg.packageId)
  return mediaBuyStatus(buy, await assignmentsOf(tx, principal, packageIds), now)
}
