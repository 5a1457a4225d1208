import { reply } from '../../transports/trusted-match/match-exchange.ts'
import type { MatchRoute } from '../../transports/trusted-match/match-route.ts'

/** `GET /metrics`: numbers of both paths and of registrations, each from its own registry. */
export function metricsRoute(all: readonly ({ text(): Promise<string> } | undefined)[]): MatchRoute {
  return async (_request, response) => {
    const texts = await Promise.all(all.map((each) => each?.text() ?? ''))
    reply(response, 200, 'text/plain; version=0.0.4; charset=utf-8', texts.join('\n'))
  }
}
