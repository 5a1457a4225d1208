import { count, oneOf, optionalText } from '../../domain/compliance/params.ts'
import { STALE_TASKS } from '../../domain/compliance/stale-answer.ts'
import { EVERY_TASK, placeOutage } from '../../store/approval/sandbox-outages.ts'
import type { Scenario } from './scenario.ts'

/** What an upstream is called when the scenario does not name it. */
const DEFAULT_UPSTREAM = 'inventory-service'

/**
 * `force_upstream_unavailable` (AdCP 3.1): the next answer of the task to this agent is one from a cache, since an upstream could not be reached. It counts
 * for one answer, so that a suite's later calls are not affected.
 */
export const forceUpstreamUnavailable: Scenario = async (params, { tx, principal, now }) => {
  const task = oneOf(params.tool, [...STALE_TASKS, EVERY_TASK], 'tool')
  const upstream = optionalText(params, 'upstream_name') ?? DEFAULT_UPSTREAM
  const cacheAgeSeconds = count(params, 'cache_age_seconds')
  await placeOutage(tx, principal, { task, upstream, cacheAgeSeconds }, now)
  return {
    success: true,
    previous_state: 'available',
    current_state: 'unavailable',
    message: `The next answer of ${task === EVERY_TASK ? 'any of these tasks' : task} says that ${upstream} could not be reached.`,
  }
}
