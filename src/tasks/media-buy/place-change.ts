import type { UpdateMediaBuyRequest } from '@adcp/sdk/types'
import type { ChangeTask } from '../../domain/media-buy/waits-for.ts'
import type { Governed } from '../../features/governance/governance.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import type { Held } from '../approvals/hold.ts'
import { requireBuyerData } from './buyer-data.ts'
import { requirePossible } from './change-order.ts'
import { changeCommitment } from './governed-order.ts'
import { withSealedLists } from './named-lists.ts'
import { newPackages, requireSignals, type TargetedPackage } from './package-signals.ts'
import { changeOrder, type PlannedUpdate, planUpdate, recordUpdate, restoreOrder } from './plan-update.ts'
import { heldUpdate, submitUpdate } from './submit-update.ts'
import { prepareUploads, type Upload, uploadCreatives } from './upload-creatives.ts'

type Call = AuthenticatedContext & { readonly anchor: string }

export interface PreparedChange {
  readonly planned: PlannedUpdate
  /** A person at the seller has to approve it first: the ad server does not know of it yet. */
  readonly held: Held | undefined
  /** Who governs the buyer's money agrees; absent for a change that commits nothing more. */
  readonly governed: Governed | undefined
  /** The creatives that come with its packages. */
  readonly uploads: readonly Upload[]
}

/** Plans a change by every rule of the seller and, unless a person has to approve it, brings it to the ad server. Throws what is wrong with it. */
export async function prepareChange(given: UpdateMediaBuyRequest, context: Call, task: ChangeTask): Promise<PreparedChange> {
  const request = withSealedLists(given, context)
  const planned = await planUpdate(request, context)
  const { accountId } = planned.before
  await requireBuyerData(context, accountId, request.packages, 'packages')
  await requireBuyerData(context, accountId, request.new_packages, 'new_packages')
  await requireSignals(context, targetedPackages(request, planned), planned.products)
  requirePossible(context, planned.before, planned.update.buy)
  const held = await heldUpdate(request, context, planned, task)
  const commitment = changeCommitment(request, planned.before, planned.update.buy)
  const governed = commitment && (await context.services.governance.check(context, commitment))
  const uploads = await uploadsOf(request, context, planned)
  return { held, governed, uploads, planned: held ? planned : await changeOrder(context, context.anchor, planned) }
}

function targetedPackages(
  { packages = [], new_packages: added }: UpdateMediaBuyRequest,
  { before }: PlannedUpdate,
): TargetedPackage[] {
  const changed = packages.map((pkg, index) => ({
    productId: before.packages.find(({ packageId }) => packageId === pkg.package_id)?.productId,
    overlay: pkg.targeting_overlay,
    path: `packages[${index}]`,
  }))
  return [...changed, ...newPackages(added, 'new_packages')]
}

/** Brings the ad server back to what is stored. */
export async function undoChange(context: Call, { planned, held }: PreparedChange): Promise<void> {
  if (!held) await restoreOrder(context, context.anchor, planned)
}

/** The creatives that come with a change that waits are there for its decision. */
const HELD = { changes: true, notes: [] }

/** Writes a prepared change. Gives the `submitted` answer where a person at the seller decides first, and sentences on other changes that wait. */
export async function commitChange(
  given: UpdateMediaBuyRequest,
  context: InTransaction<AuthenticatedContext>,
  { planned, held, governed, uploads }: PreparedChange,
  task: ChangeTask,
) {
  const request = withSealedLists(given, context)
  const commitment = changeCommitment(request, planned.before, planned.update.buy)
  if (governed && commitment) await context.services.governance.record(context.tx, context, commitment, governed)
  const { changes, notes } = held ? HELD : await recordUpdate(context.tx, context, planned)
  const said = changes ? await uploadCreatives(context, planned.before.accountId, uploads) : []
  return { submitted: held && (await submitUpdate(request, context, held, planned, task)), notes: [...notes, ...said] }
}

/** The creatives of an update: those for packages that the buy has, then those for packages that come to it. */
async function uploadsOf(
  request: UpdateMediaBuyRequest,
  context: AuthenticatedContext,
  { before, update }: PlannedUpdate,
): Promise<readonly Upload[]> {
  const { packages = [], new_packages: added } = request
  const named = (index: number) => before.packages.find(({ packageId }) => packageId === packages[index]?.package_id)
  const present = await prepareUploads(context, packages, named, 'packages')
  const offset = before.packages.length
  return [...present, ...(await prepareUploads(context, added, (index) => update.buy.packages[offset + index], 'new_packages'))]
}
