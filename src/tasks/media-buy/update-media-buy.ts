import type { UpdateMediaBuyRequest } from '@adcp/sdk/types'
import { withIgnored } from '../../domain/media-buy/unused-bids.ts'
import { withSimulation } from '../../domain/protocol/simulated-backends.ts'
import type { Governed } from '../../features/governance/governance.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import type { Held } from '../approvals/hold.ts'
import { actionRulesOf } from './action-rules.ts'
import { observingAdServers, submitToBeObserved } from './await-observed.ts'
import { requireBuyerData } from './buyer-data.ts'
import { requirePossible } from './change-order.ts'
import { changeCommitment, withGovernance } from './governed-order.ts'
import { UPDATE_MEDIA_BUY } from './input-notes.ts'
import { withSealedLists } from './named-lists.ts'
import { adServerOf, isSimulated } from './orders.ts'
import {
  changeOrder,
  type PlannedUpdate,
  planUpdate,
  presentChange,
  recordUpdate,
  restoreOrder,
  unusedUpdateBids,
} from './plan-update.ts'
import { heldUpdate, submitUpdate } from './submit-update.ts'
import { summarizeUpdated } from './summaries.ts'
import { prepareUploads, type Upload, uploadCreatives } from './upload-creatives.ts'

interface Prepared {
  readonly planned: PlannedUpdate
  /** A person at the seller has to approve it first: the ad server does not know of it yet. */
  readonly held: Held | undefined
  /** Who governs the buyer's money agrees; absent for a change that commits nothing more. */
  readonly governed: Governed | undefined
  /** The creatives that come with its packages. */
  readonly uploads: readonly Upload[]
}

export const updateMediaBuy = defineTask<UpdateMediaBuyRequest>()({
  name: 'update_media_buy',
  mutating: true,
  access: 'authenticated',
  scope: 'media_buys',
  account: 'required',
  changes: [
    'name',
    'paused',
    'canceled',
    'start_time',
    'end_time',
    'packages',
    'new_packages',
    'invoice_recipient',
    'reporting_webhook',
  ],
  summary: 'Change a media buy: budgets, dates, packages, creative assignments, pause, resume, cancel. All or nothing.',
  input: UPDATE_MEDIA_BUY,
  summarize: summarizeUpdated,
  spends: true,
  async prepare(given, context): Promise<Prepared> {
    const request = withSealedLists(given, context)
    const planned = await planUpdate(request, context)
    const { accountId } = planned.before
    await requireBuyerData(context, accountId, request.packages, 'packages')
    await requireBuyerData(context, accountId, request.new_packages, 'new_packages')
    requirePossible(context, planned.before, planned.update.buy)
    const held = await heldUpdate(request, context, planned)
    const commitment = changeCommitment(request, planned.before, planned.update.buy)
    const governed = commitment && (await context.services.governance.check(context, commitment))
    const uploads = await uploadsOf(request, context, planned)
    return { held, governed, uploads, planned: held ? planned : await changeOrder(context, context.anchor, planned) }
  },
  async undo(_request, context, { planned, held }) {
    if (!held) await restoreOrder(context, context.anchor, planned)
  },
  async handle(given, context, { planned, held, governed, uploads }) {
    const request = withSealedLists(given, context)
    const { buy } = planned.update
    const commitment = changeCommitment(request, planned.before, buy)
    if (governed && commitment) await context.services.governance.record(context.tx, context, commitment, governed)
    const changes = held ? true : await recordUpdate(context.tx, context, planned)
    if (changes) await uploadCreatives(context, planned.before.accountId, uploads)
    if (held) return submitUpdate(request, context, held, planned)
    const answer = withGovernance(await presentChange(context.tx, context, planned, await actionRulesOf(context)), buy, governed)
    const whole = withSimulation(withIgnored(answer, unusedUpdateBids(request, planned)), adServerOf(context), {
      inSandbox: isSimulated(context),
    })
    const adServers = observingAdServers(context, planned)
    return adServers.length > 0 ? submitToBeObserved(request, context, planned, { answer: whole, adServers }) : whole
  },
})

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
