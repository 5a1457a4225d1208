import type { UpdateMediaBuyRequest } from '@adcp/sdk/types'
import { changeWords } from '../../domain/media-buy/change-words.ts'
import { withNotes } from '../../domain/media-buy/order-notes.ts'
import { withIgnored } from '../../domain/media-buy/unused-bids.ts'
import type { ChangeTask } from '../../domain/media-buy/waits-for.ts'
import { withSimulation } from '../../domain/protocol/simulated-backends.ts'
import { type AuthenticatedContext, defineTask, type Modelled } from '../../pipeline/task.ts'
import { changeOf } from '../../protocol/converters/compact-requests.ts'
import { Faults } from '../../protocol/errors.ts'
import { observingAdServers, submitToBeObserved } from './await-observed.ts'
import { requireKept, type Wanted } from './buyable-purchases.ts'
import { namedMediaBuy } from './find-media-buys.ts'
import { CONTROL_MEDIA_BUY } from './input-notes.ts'
import { withSealedLists } from './named-lists.ts'
import { adServerOf, isSimulated } from './orders.ts'
import { commitChange, type PreparedChange, prepareChange, undoChange } from './place-change.ts'
import { unusedUpdateBids, updateNotes } from './plan-update.ts'
import { presentControl } from './present-placed.ts'
import { changeCandidates } from './revision-candidate.ts'
import { summarizeControlled } from './summaries.ts'
import { unknownInChange } from './unknown-in-order.ts'

/** What a buyer changes within what it accepted (AdCP 3.2 media-buy/control-media-buy-request.json). */
interface Control {
  readonly media_buy_id: string
  readonly revision: number
  readonly packages?: readonly ControlledPackage[]
}

interface ControlledPackage extends Wanted {
  readonly package_id: string
  readonly targeting_overlay?: object
}
type Request = Modelled<Control, UpdateMediaBuyRequest>

const TASK: ChangeTask = 'control_media_buy'

export const controlMediaBuy = defineTask<Request>()({
  name: 'control_media_buy',
  since: '3.2',
  mutating: true,
  access: 'authenticated',
  scope: 'media_buys',
  candidates: changeCandidates,
  unknown: unknownInChange,
  account: 'required',
  summary: 'Pause, resume, cancel or rename a media buy, or change its packages, at the revision that you read. All or nothing.',
  input: CONTROL_MEDIA_BUY,
  model: { task: 'update_media_buy', read: changeOf, names: { 'packages[].bid_price': 'packages[].bidding' } },
  summarize: summarizeControlled,
  spends: true,
  async prepare(request, context): Promise<PreparedControl> {
    const change = await changeIn(request, context)
    return { ...(await prepareChange(change, context, TASK)), change }
  },
  undo: (_request, context, prepared) => undoChange(context, prepared),
  async handle(_request, context, { change, ...prepared }: PreparedControl) {
    const { submitted, notes } = await commitChange(change, context, prepared, TASK)
    if (submitted) return submitted
    const { planned, governed } = prepared
    const answer = await presentControl(context.tx, context, planned, governed)
    const { before, update } = planned
    const told = withNotes(withIgnored(answer, unusedUpdateBids(change, planned)), [
      ...changeWords(before, update),
      ...updateNotes(change, planned),
      ...notes,
    ])
    const whole = withSimulation(told, adServerOf(context), { inSandbox: isSimulated(context) })
    const adServers = observingAdServers(context, planned)
    if (adServers.length === 0) return whole
    return submitToBeObserved(withSealedLists(change, context), context, planned, { answer: whole, adServers, task: TASK })
  },
})

interface PreparedControl extends PreparedChange {
  /** What is changed, in whole values. */
  readonly change: UpdateMediaBuyRequest
}

/**
 * The change that a control comes to: targeting is changed by dimension, and null clears one. Throws UNSUPPORTED_FEATURE for catalogs by id.
 */
async function changeIn({ packages = [], model }: Request, context: AuthenticatedContext): Promise<UpdateMediaBuyRequest> {
  if (packages.length === 0) return model
  const buy = await namedMediaBuy(context.db, context, model.media_buy_id)
  const known = new Map(buy.packages.map((pkg) => [pkg.packageId, pkg]))
  const faults = new Faults()
  for (const [index, control] of packages.entries()) {
    const path = `packages[${index}]`
    faults.attempt(() => requireKept(control, path))
  }
  faults.settle()
  const changed = (model.packages ?? []).map((update, index) => {
    const patch = packages[index]?.targeting_overlay
    if (!patch) return update
    const whole = { ...known.get(update.package_id)?.targetingOverlay, ...patch }
    return { ...update, targeting_overlay: Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null)) }
  })
  return { ...model, packages: changed }
}
