import type { MatchMetrics } from '../../platform/metrics/match-metrics.ts'
import { reply } from '../../transports/trusted-match/match-exchange.ts'
import type { MatchRoute } from '../../transports/trusted-match/match-route.ts'

/** `GET /metrics`: the numbers of both paths, each from its own registry. */
export function metricsRoute(all: readonly (MatchMetrics | undefined)[]): MatchRoute {
  return async (_request, response) => {
    const texts = await Promise.all(all.map((each) => each?.text() ?? ''))
    reply(response, 200, 'text/plain; version=0.0.4; charset=utf-8', texts.join('\n'))
  }
}
