import type { ProvidePerformanceFeedbackRequest, ProvidePerformanceFeedbackResponse } from '@adcp/sdk/types'
import { readIds, SIMULATOR } from '../../ad-serving/external-id.ts'
import { instantOf } from '../../domain/calendar/instant.ts'
import { feedbackNote, steerBy } from '../../domain/media-buy/feedback.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { packageNotFound } from '../../domain/media-buy/not-found.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { AdcpError, refusalsOf } from '../../protocol/errors.ts'
import { getMediaBuy, saveMediaBuy } from '../../store/media-buy/media-buys.ts'
import { insertPerformanceFeedback } from '../../store/media-buy/performance-feedback.ts'
import { creativeFactsOf } from './creative-facts.ts'
import { adServerOf } from './orders.ts'

export const providePerformanceFeedback = defineTask<ProvidePerformanceFeedbackRequest, ProvidePerformanceFeedbackResponse>()({
  name: 'provide_performance_feedback',
  mutating: true,
  access: 'authenticated',
  scope: 'media_buys',
  account: 'optional',
  summary: 'Say how a media buy, package or creative performed by your own measurement.',
  unknown: async ({ media_buy_id: id }, { db, principal }) =>
    id === undefined ? [] : refusalsOf(() => getMediaBuy(db, principal, id)),
  async handle(request, context) {
    const { tx, principal, account, now } = context
    const buy = await getMediaBuy(tx, principal, request.media_buy_id)
    const [start, end] = [
      instantOf(request.measurement_period.start, 'measurement_period.start'),
      instantOf(request.measurement_period.end, 'measurement_period.end'),
    ]
    if (end <= start) {
      throw new AdcpError('INVALID_REQUEST', 'measurement_period.end must be after its start', {
        field: 'measurement_period.end',
      })
    }
    if (request.package_id !== undefined && !buy.packages.some((pkg) => pkg.packageId === request.package_id))
      throw packageNotFound(buy, request.package_id, 'package_id')
    if (request.creative_id !== undefined) {
      const facts = [...(await creativeFactsOf(tx, principal, [buy])).values()].flat()
      if (!facts.some((fact) => fact.creativeId === request.creative_id)) {
        throw new AdcpError('CREATIVE_NOT_FOUND', 'creative_id is not assigned to this media buy', { field: 'creative_id' })
      }
    }
    const judged = { index: request.performance_index, packageId: request.package_id, creativeId: request.creative_id }
    await saveMediaBuy(tx, principal, buy, steerBy(buy, judged, now))
    await insertPerformanceFeedback(
      tx,
      principal,
      {
        mediaBuyId: buy.mediaBuyId,
        periodStart: new Date(start).toISOString(),
        periodEnd: new Date(end).toISOString(),
        performanceIndex: request.performance_index,
        metricType: request.metric_type ?? 'overall_performance',
        feedbackSource: request.feedback_source ?? 'buyer_attribution',
        ...(request.package_id !== undefined && { packageId: request.package_id }),
        ...(request.creative_id !== undefined && { creativeId: request.creative_id }),
      },
      now,
    )
    return {
      success: true,
      ext: { notes: [feedbackNote(judged, isSteered(buy, context))] },
      ...((principal.sandbox || account?.sandbox) && { sandbox: true }),
    }
  },
})

/** Whether an order is carried out by the simulator, which alone goes by such judgements, and is not over. */
function isSteered(buy: MediaBuy, context: InTransaction<AuthenticatedContext>): boolean {
  if (Date.parse(buy.endsAt) <= context.now.getTime() || buy.cancellation) return false
  const names = readIds(buy.orderId).map(({ adServer }) => adServer)
  return names.length === 0 ? adServerOf(context).name === SIMULATOR : names.every((name) => name === SIMULATOR)
}
