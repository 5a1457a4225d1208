import type { UpdateMediaBuyRequest } from '@adcp/sdk/types'
import { withNotes } from '../../domain/media-buy/order-notes.ts'
import { withIgnored } from '../../domain/media-buy/unused-bids.ts'
import { withSimulation } from '../../domain/protocol/simulated-backends.ts'
import { defineTask } from '../../pipeline/task.ts'
import { actionRulesOf } from './action-rules.ts'
import { observingAdServers, submitToBeObserved } from './await-observed.ts'
import { withGovernance } from './governed-order.ts'
import { UPDATE_MEDIA_BUY } from './input-notes.ts'
import { withSealedLists } from './named-lists.ts'
import { adServerOf, isSimulated } from './orders.ts'
import { commitChange, type PreparedChange, prepareChange, undoChange } from './place-change.ts'
import { presentChange, replacedNotes, unusedUpdateBids, updateNotes } from './plan-update.ts'
import { changeCandidates } from './revision-candidate.ts'
import { summarizeUpdated } from './summaries.ts'
import { unknownInChange } from './unknown-in-order.ts'

const TASK = 'update_media_buy'

export const updateMediaBuy = defineTask<UpdateMediaBuyRequest>()({
  name: 'update_media_buy',
  mutating: true,
  access: 'authenticated',
  scope: 'media_buys',
  candidates: changeCandidates,
  unknown: unknownInChange,
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
    'total_budget',
    'bidding',
    'daily_budget_cap',
    'ext.make_good',
  ],
  summary: 'Change a media buy: budgets, dates, packages, creative assignments, pause, resume, cancel. All or nothing.',
  input: UPDATE_MEDIA_BUY,
  summarize: summarizeUpdated,
  spends: true,
  prepare: (request, context) => prepareChange(request, context, TASK),
  undo: (_request, context, prepared) => undoChange(context, prepared),
  async handle(given, context, prepared: PreparedChange) {
    const { submitted, notes } = await commitChange(given, context, prepared, TASK)
    if (submitted) return submitted
    const { planned, governed } = prepared
    const { buy } = planned.update
    const answer = withGovernance(await presentChange(context.tx, context, planned, await actionRulesOf(context)), buy, governed)
    const request = withSealedLists(given, context)
    const said = [...updateNotes(request, planned), ...replacedNotes(request, planned), ...notes]
    const told = withNotes(withIgnored(answer, unusedUpdateBids(request, planned)), said)
    const whole = withSimulation(told, adServerOf(context), { inSandbox: isSimulated(context) })
    const adServers = observingAdServers(context, planned)
    return adServers.length > 0 ? submitToBeObserved(request, context, planned, { answer: whole, adServers, task: TASK }) : whole
  },
})
