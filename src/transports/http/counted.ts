import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { BareRoute } from './server.ts'

/** Error codes by status, as the same task answers over other transports. */
const CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_REQUEST',
  404: 'REFERENCE_NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  429: 'RATE_LIMITED',
  503: 'SERVICE_UNAVAILABLE',
}

/** A route whose answers count as calls of a task over the transport `http`; without metrics the route itself. */
export function counted(metrics: Pick<Metrics, 'count'> | undefined, task: string, bare: BareRoute['bare']): BareRoute['bare'] {
  if (!metrics) return bare
  return (request, response, captured, given) => {
    const started = performance.now()
    const ended = () => {
      const { statusCode: status } = response
      const outcome = status < 400 ? 'ok' : (CODES[status] ?? 'INTERNAL_ERROR')
      metrics.count({ task, transport: 'http', outcome, ms: performance.now() - started })
    }
    const running = bare(request, response, captured, given)
    if (running) return running.then(ended)
    ended()
    return undefined
  }
}
