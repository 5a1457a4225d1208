import { offPlan, type Progress } from '../../domain/media-buy/progress.ts'

/** Whether an order delivers off its plan so that somebody should look at it, on Home and by mail: it runs, is sold for money and is not paused. */
export function orderOffPlan({
  pacing,
  paused,
  sandbox,
}: {
  readonly pacing: Pick<Progress, 'state' | 'elapsed'>
  readonly paused: boolean
  readonly sandbox: boolean
}): ReturnType<typeof offPlan> {
  return paused || sandbox ? undefined : offPlan(pacing)
}
