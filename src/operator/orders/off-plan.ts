import { DAY_MS } from '../../domain/calendar/instant.ts'
import { offPlan, type Progress } from '../../domain/media-buy/progress.ts'

/** Creatives take a day or two to be made and reviewed. */
const SOON_DAYS = 3
export const SOON_TEXT = `${SOON_DAYS} days`

/** Whether an order that has no creatives yet starts soon, or should run already. `starts_at`: ISO 8601, UTC. */
export function startsSoonWithoutCreatives(
  { status, starts_at: start }: { readonly status: string; readonly starts_at: string },
  now: Date,
): boolean {
  return status === 'pending_creatives' && start <= new Date(now.getTime() + SOON_DAYS * DAY_MS).toISOString()
}

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
