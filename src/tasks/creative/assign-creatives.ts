import type { SyncCreativesRequest } from '@adcp/sdk'
import { libraryProvenanceFault } from '../../domain/creative/check-provenance.ts'
import type { Creative, CreativeContent } from '../../domain/creative/creative.ts'
import { assignmentFault } from '../../domain/creative/lifecycle.ts'
import { assignmentOf } from '../../domain/media-buy/assignments-in.ts'
import { deadlineText, isPastDeadline } from '../../domain/media-buy/creative-deadline.ts'
import { isTerminal, mediaBuyStatus } from '../../domain/media-buy/lifecycle.ts'
import type { MediaBuy, Package } from '../../domain/media-buy/media-buy.ts'
import { LISTS_ALL } from '../../domain/media-buy/not-found.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { instead, NameSearch, quoted } from '../../protocol/nearest-name.ts'
import { addAssignment } from '../../store/creative/change-assignments.ts'
import { assignmentsOf } from '../../store/creative/creative-assignments.ts'
import { findCreatives } from '../../store/creative/creatives.ts'
import { listMediaBuys } from '../../store/media-buy/list-media-buys.ts'
import { findMediaBuyOfPackage } from '../../store/media-buy/media-buys.ts'
import { creativeRefusal } from './creative-refusal.ts'
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
  options: { readonly accountId: string; readonly dryRun: boolean; readonly upcoming: ReadonlyMap<string, CreativeContent> },
): Promise<ReadonlyMap<string, AssignmentReport>> {
  const { tx, principal, now } = context
  const ids = [...new Set(assignments.map((assignment) => assignment.creative_id))]
  const library = await findCreatives(tx, principal, options.accountId, ids)
  const reports = new Map(ids.map((id) => [id, { assignedTo: [], errors: {} } as AssignmentReport]))
  const packageOf = packagesForAssignment(context, options.accountId)
  for (const wire of assignments) {
    const report = reports.get(wire.creative_id)
    const creative = {
      creativeId: wire.creative_id,
      sent: options.upcoming.get(wire.creative_id),
      known: library.get(wire.creative_id),
    }
    const refusal = await assignmentRefusal(context, packageOf, wire.package_id, creative)
    if (refusal && report) report.errors[wire.package_id] = refusal.message
    if (refusal) continue
    if (!options.dryRun) await addAssignment(tx, principal, wire.package_id, assignmentOf(wire), now)
    report?.assignedTo.push(wire.package_id)
  }
  return reports
}

/** A creative that goes on a package. One that comes with the request was held to the policies of its packages before; a stored one was not. */
interface Assigned {
  readonly creativeId: string
  /** The one that came with the request. */
  readonly sent: CreativeContent | undefined
  /** The one of the library. */
  readonly known: Creative | undefined
  /** Whether it is on the package already; undefined: that is looked up where it counts. */
  readonly isAssigned?: boolean
}

/** The package that creatives go on or off, with its buy; the reason why none can: PACKAGE_NOT_FOUND or INVALID_STATE. */
export type PackageForAssignment = (packageId: string) => Promise<{ readonly buy: MediaBuy; readonly pkg: Package } | AdcpError>

/** Finds packages of one request, each once: an order may have a hundred of a hundred creatives each, and none of it ends while it is assigned to. */
export function packagesForAssignment(context: InTransaction<AuthenticatedContext>, accountId: string): PackageForAssignment {
  const known = new Map<string, ReturnType<PackageForAssignment>>()
  const search = new NameSearch()
  let open: Promise<readonly string[]> | undefined
  const missing = async (packageId: string): Promise<AdcpError> => {
    open ??= openPackages(context, accountId)
    const nearest = instead(packageId, await open, `media buys have them: ${LISTS_ALL}`, search)
    return new AdcpError('PACKAGE_NOT_FOUND', `there is no package ${quoted(packageId)}${nearest}`)
  }
  return (packageId) => {
    const found = known.get(packageId) ?? packageForAssignment(context, packageId, accountId, missing)
    known.set(packageId, found)
    return found
  }
}

async function packageForAssignment(
  context: InTransaction<AuthenticatedContext>,
  packageId: string,
  accountId: string,
  missing: (packageId: string) => Promise<AdcpError>,
): ReturnType<PackageForAssignment> {
  const { tx, principal, now } = context
  const buy = await findMediaBuyOfPackage(tx, principal, packageId)
  const pkg = buy?.packages.find((candidate) => candidate.packageId === packageId)
  // A package of another account is no different from one that does not exist.
  if (!buy || !pkg || !(principal.conformance || buy.accountId === accountId)) return missing(packageId)
  if (pkg.cancellation) return new AdcpError('INVALID_STATE', 'the package is canceled')
  const status = await statusOf(context, buy, now)
  return isTerminal(status) ? new AdcpError('INVALID_STATE', `the media buy is ${status}`) : { buy, pkg }
}

/** So many orders are looked through for the package that was meant. */
const MOST_ORDERS = 100

/** Ids of packages that creatives can go on, of the account's oldest orders that are not over. */
async function openPackages(
  { tx, principal, now }: InTransaction<AuthenticatedContext>,
  accountId: string,
): Promise<readonly string[]> {
  const statuses = ['pending_creatives', 'pending_start', 'active', 'paused'] as const
  const { buys } = await listMediaBuys(tx, principal, { accountId, statuses, now }, { after: undefined, limit: MOST_ORDERS })
  return buys.flatMap(({ packages }) => packages.filter(({ cancellation }) => !cancellation).map(({ packageId }) => packageId))
}

/** Why a creative cannot go on a package; undefined when it can. `field`, where there is one, is the member of the assignment. */
export async function assignmentRefusal(
  context: InTransaction<AuthenticatedContext>,
  packageOf: PackageForAssignment,
  packageId: string,
  { creativeId, sent, known, isAssigned }: Assigned,
): Promise<AdcpError | undefined> {
  const content = sent ?? known?.content
  if (!content) return new AdcpError('CREATIVE_NOT_FOUND', 'there is no such creative in this account', { field: 'creative_id' })
  const rejected = known && assignmentFault(known, 'creative_id')
  if (rejected) return rejected
  const found = await packageOf(packageId)
  if (found instanceof AdcpError) return found
  const { pkg } = found
  if (isPastDeadline(pkg, context.now) && !(isAssigned ?? (await isOnPackage(context, packageId, creativeId))))
    return new AdcpError('CREATIVE_DEADLINE_EXCEEDED', deadlineText(pkg))
  const unfit = await creativeRefusal(context, pkg, content)
  if (unfit) return new AdcpError('UNSUPPORTED_FEATURE', unfit.reason, { field: 'creative_id' })
  if (sent || !known) return undefined
  return libraryProvenanceFault(known.content, await policyOfProduct(context, pkg.productId), 'creative_id')
}

async function isOnPackage({ tx, principal }: InTransaction<AuthenticatedContext>, packageId: string, creativeId: string) {
  const assigned = (await assignmentsOf(tx, principal, [packageId])).get(packageId) ?? []
  return assigned.some((each) => each.creativeId === creativeId)
}

async function statusOf({ tx, principal }: InTransaction<AuthenticatedContext>, buy: MediaBuy, now: Date) {
  const packageIds = buy.packages.map((pkg) => pkg.packageId)
  return mediaBuyStatus(buy, await assignmentsOf(tx, principal, packageIds), now)
}
